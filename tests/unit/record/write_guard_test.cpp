// SPDX-License-Identifier: Apache-2.0
#include "record/write_guard.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace railgauge {
namespace {

/// Ends the process as a watchdog does: from a thread, while the main thread writes or wants to.
[[noreturn]] void end_from_a_thread(std::optional<WriteGuard>& writing) {
    std::atomic<bool> asked = false;
    std::thread watchdog([&] {
        asked = true;
        ::_exit(stop_writing(10'000) ? 7 : 8);
    });
    while (!asked)
        std::this_thread::yield();
    writing.reset();
    std::this_thread::sleep_for(std::chrono::seconds(20));  // the process ends meanwhile
    std::abort();
}

TEST(WriteGuardDeathTest, the_process_ends_between_two_files) {
    EXPECT_EXIT(
        {
            std::optional<WriteGuard> writing;
            writing.emplace();
            end_from_a_thread(writing);
        },
        testing::ExitedWithCode(7), "");
}

TEST(WriteGuardDeathTest, a_write_that_does_not_end_is_not_waited_for) {
    EXPECT_EXIT(
        {
            const WriteGuard writing;
            std::thread watchdog([] { ::_exit(stop_writing(1) ? 7 : 8); });
            watchdog.join();
        },
        testing::ExitedWithCode(8), "");
}

}  // namespace
}  // namespace railgauge
