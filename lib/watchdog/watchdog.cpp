// SPDX-License-Identifier: Apache-2.0
#include "watchdog/watchdog.hpp"

#include <future>
#include <thread>
#include <type_traits>
#include <utility>

#include <unistd.h>

#include "base/error.hpp"
#include "watchdog/watch_loop.hpp"

namespace railgauge {

/// The loop and its thread. The loop outlives this object if its thread is stuck in a file
/// system.
class Watchdog::Implementation {
  public:
    Implementation(const Progress& progress, Options options)
        : loop_(std::make_shared<board::WatchLoop>(progress, std::move(options))),
          thread_([loop = loop_] { loop->run(); }) {}

    ~Implementation() { close(); }

    /// Has the watchdog's thread do `task`.
    template <class Task>
    void post(Task task) {
        loop_->post([loop = loop_.get(), task]() mutable { task(*loop); });
    }

    /// As post, and returns when it is done; a thread that hangs does it later, or never.
    template <class Task>
    void have_done(Task task) {
        const auto done = std::make_shared<std::promise<void>>();
        post([task, done](board::WatchLoop& loop) {
            task(loop);
            done->set_value();
        });
        done->get_future().wait_for(patience);
    }

    /// As post, with the task's result. @throws Error(library) when the thread does not answer
    template <class Task>
    auto ask(Task task) {
        using Answer = std::invoke_result_t<Task, board::WatchLoop&>;
        const auto shared = std::make_shared<std::packaged_task<Answer(board::WatchLoop&)>>(task);
        auto answer = shared->get_future();
        post([shared](board::WatchLoop& loop) { (*shared)(loop); });
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
        if (!is_fork && loop_->stop(patience))
            thread_.join();
        else
            thread_.detach();
        loop_->release_signals();
    }

    static constexpr board::milliseconds patience{2000};

  private:
    std::shared_ptr<board::WatchLoop> loop_;
    std::thread thread_;
    pid_t owner_ = ::getpid();
};

Watchdog::Watchdog(const Progress& progress, Options options)
    : implementation_(std::make_unique<Implementation>(progress, std::move(options))) {}

Watchdog::~Watchdog() = default;

std::string Watchdog::board_address() {
    return implementation_->ask([](board::WatchLoop& loop) { return loop.board_address(); });
}

void Watchdog::connect(int rank, int size, const std::string& board_address) {
    implementation_->post([rank, size, board_address](board::WatchLoop& loop) {
        loop.connect(rank, size, board_address);
    });
}

void Watchdog::set_plan(std::string plan_id, std::vector<CaseLabel> labels) {
    // Whatever is said from now on can name the cases.
    const auto plan =
        std::make_shared<board::Plan>(board::Plan{std::move(plan_id), std::move(labels)});
    implementation_->have_done([plan](board::WatchLoop& loop) { loop.set_plan(*plan); });
}

void Watchdog::set_library(const LibraryWatch& library) {
    implementation_->have_done([library](board::WatchLoop& loop) { loop.set_library(library); });
}

void Watchdog::announce_failure() {
    // The process may end as soon as this returns: the word must be out.
    implementation_->have_done([](board::WatchLoop& loop) { loop.announce_failure(); });
}

void Watchdog::close() {
    implementation_->close();
}

}  // namespace railgauge
