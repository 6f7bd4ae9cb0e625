// SPDX-License-Identifier: Apache-2.0
#include "abort_row.hpp"

#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "nccl/live.hpp"

namespace railgauge::smoke {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto most_for_abort = 2s;
constexpr auto patience = 20s;

}  // namespace

Row abort_live(const std::string& name, const std::string& remark) {
    const Clock::time_point begin = Clock::now();
    const auto is_done = std::make_shared<std::promise<void>>();
    const std::future<void> done = is_done->get_future();
    std::thread([is_done] {
        live_communicators().abort_all();
        is_done->set_value();
    }).detach();  // may hang; the process ends without it
    if (done.wait_for(patience) != std::future_status::ready) {
        return {name, Outcome::fail, "-",
                fmt::format("abort did not return within {} s", patience.count())};
    }
    const std::chrono::duration<double> took = Clock::now() - begin;
    const bool is_quick = took < most_for_abort;
    return {name, is_quick ? Outcome::pass : Outcome::fail,
            fmt::format("abort took {:.3f} s", took.count()), remark + ", 2 s at most"};
}

}  // namespace railgauge::smoke
