// SPDX-License-Identifier: Apache-2.0
#include "mpi/board/orders.hpp"

#include <cstdint>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.hpp"

namespace railgauge::board {

Orders::Orders()
    : wake_(check_errno(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "waking through", "eventfd")) {}

void Orders::post(std::function<void()> order) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(order));
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

void Orders::run_all() {
    std::vector<std::function<void()>> orders;
    {
        const std::lock_guard lock(mutex_);
        orders.swap(waiting_);
        std::uint64_t count = 0;
        [[maybe_unused]] const auto got = ::read(wake_.get(), &count, sizeof count);
    }
    for (const auto& order : orders)
        order();
}

}  // namespace railgauge::board
