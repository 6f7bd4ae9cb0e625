// SPDX-License-Identifier: Apache-2.0
#include "mpi/watchdog.hpp"

#include <future>
#include <thread>
#include <type_traits>
#include <utility>

#include <unistd.h>

#include "base/error.hpp"
#include "mpi/board/keeper.hpp"

namespace railgauge {

/// The keeper and its thread. The keeper outlives this object if its thread is stuck in a file
/// system.
class Watchdog::Implementation {
  public:
    Implementation(const Progress& progress, Options options)
        : keeper_(std::make_shared<board::Keeper>(progress, std::move(options))),
          thread_([keeper = keeper_] { keeper->run(); }) {}

    ~Implementation() { close(); }

    /// Has the watchdog's thread do `order`.
    template <class Order>
    void post(Order order) {
        keeper_->post([keeper = keeper_.get(), order]() mutable { order(*keeper); });
    }

    /// As post, and returns when it is done; a thread that hangs does it later, or never.
    template <class Order>
    void have_done(Order order) {
        const auto done = std::make_shared<std::promise<void>>();
        post([order, done](board::Keeper& keeper) {
            order(keeper);
            done->set_value();
        });
        done->get_future().wait_for(patience);
    }

    /// As post, with the order's result. @throws Error(library) when the thread does not answer
    template <class Order>
    auto ask(Order order) {
        using Answer = std::invoke_result_t<Order, board::Keeper&>;
        const auto task = std::make_shared<std::packaged_task<Answer(board::Keeper&)>>(order);
        auto answer = task->get_future();
        post([task](board::Keeper& keeper) { (*task)(keeper); });
        if (answer.wait_for(patience) != std::future_status::ready) {
            throw Error(ExitCode::library, "the deadline watch does not answer",
                        "its thread may hang in the file system of the output",
                        "check that file system or choose another folder with --out");
        }
        return answer.get();
    }

    void close() {
        if (!thread_.joinable()) return;
        const bool is_fork = ::getpid() != owner_;  // which has no such thread
        if (!is_fork && keeper_->stop(patience))
            thread_.join();
        else
            thread_.detach();
        keeper_->release_signals();
    }

    static constexpr board::milliseconds patience{2000};

  private:
    std::shared_ptr<board::Keeper> keeper_;
    std::thread thread_;
    pid_t owner_ = ::getpid();
};

Watchdog::Watchdog(const Progress& progress, Options options)
    : implementation_(std::make_unique<Implementation>(progress, std::move(options))) {}

Watchdog::~Watchdog() = default;

std::string Watchdog::board_address() {
    return implementation_->ask([](board::Keeper& keeper) { return keeper.board_address(); });
}

void Watchdog::connect(int rank, int size, const std::string& board_address) {
    implementation_->post([rank, size, board_address](board::Keeper& keeper) {
        keeper.connect(rank, size, board_address);
    });
}

void Watchdog::set_plan(std::string plan_id, std::vector<CaseLabel> labels) {
    // Whatever is said from now on can name the cases.
    const auto plan =
        std::make_shared<board::Plan>(board::Plan{std::move(plan_id), std::move(labels)});
    implementation_->have_done([plan](board::Keeper& keeper) { keeper.set_plan(*plan); });
}

void Watchdog::announce_failure() {
    // The process may end as soon as this returns: the word must be out.
    implementation_->have_done([](board::Keeper& keeper) { keeper.announce_failure(); });
}

void Watchdog::close() {
    implementation_->close();
}

}  // namespace railgauge
