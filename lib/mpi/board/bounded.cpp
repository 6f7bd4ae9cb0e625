// SPDX-License-Identifier: Apache-2.0
#include "mpi/board/bounded.hpp"

#include <future>
#include <system_error>
#include <thread>
#include <utility>

namespace railgauge::board {

bool run_bounded(std::function<void()> work, milliseconds limit) {
    std::packaged_task<void()> task(std::move(work));
    const std::future<void> done = task.get_future();
    try {
        std::thread(std::move(task)).detach();
    } catch (const std::system_error&) {
        return false;  // no thread to be had: the process ends without
    }
    return done.wait_for(limit) == std::future_status::ready;
}

}  // namespace railgauge::board
