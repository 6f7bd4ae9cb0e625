// SPDX-License-Identifier: Apache-2.0
#include "record/parts_folder.hpp"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class RunLockTest : public testing::Test {
  protected:
    test::TemporaryFolder folder_;
    std::filesystem::path path_ = folder_.path() / "lock";
};

TEST_F(RunLockTest, is_held_by_one_at_a_time) {
    const RunLock lock(path_);
    EXPECT_THAT([&] { RunLock second(path_); },
                ThrowsMessage<Error>(HasSubstr("another job holds its lock")));
}

TEST_F(RunLockTest, is_free_again_after_its_holder) {
    { const RunLock lock(path_); }
    EXPECT_NO_THROW(RunLock second(path_));
}

TEST_F(RunLockTest, outlives_no_killed_process) {
    std::array<int, 2> ready{};
    ASSERT_EQ(::pipe(ready.data()), 0);
    const pid_t holder = ::fork();
    if (holder == 0) {
        const RunLock lock(path_);
        [[maybe_unused]] const auto told = ::write(ready[1], "x", 1);
        ::pause();
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    EXPECT_THROW(RunLock second(path_), Error);
    ::kill(holder, SIGKILL);
    ::waitpid(holder, nullptr, 0);
    EXPECT_NO_THROW(RunLock second(path_));
    ::close(ready[0]);
    ::close(ready[1]);
}

}  // namespace
}  // namespace railgauge
