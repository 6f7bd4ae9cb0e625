// SPDX-License-Identifier: Apache-2.0
#include "mpi/board/keeper.hpp"

#include <csignal>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include "base/error.hpp"
#include "mpi/board/board_duty.hpp"
#include "mpi/board/bounded.hpp"
#include "mpi/board/rank_duty.hpp"
#include "mpi/board/rendezvous.hpp"
#include "mpi/board/say.hpp"
#include "mpi/board/small_file.hpp"

namespace railgauge::board {
namespace {

// Launchers send SIGKILL a second after SIGTERM: grace for deaths, files and the rendezvous fit in.
constexpr int idle_patience_ms = 600;
constexpr milliseconds tidying_patience{100};
constexpr milliseconds report_patience{1500};
constexpr milliseconds see_off_patience{800};
constexpr milliseconds parting_time{300};

milliseconds whole_ms(std::chrono::nanoseconds time) {
    return std::chrono::ceil<milliseconds>(time);
}

Setting setting_of(const Watchdog::Options& options) {
    return {options.program,
            options.host,
            launcher_job(),
            options.control_interface,
            options.rendezvous,
            options.schema,
            limits_for(whole_ms(options.deadline))};
}

/// A closed stderr must not end the process in the middle of its last words.
void block_sigpipe() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

}  // namespace

Keeper::Keeper(const Progress& progress, Watchdog::Options options)
    : options_(std::move(options)),
      setting_(setting_of(options_)),
      rank_(options_.rank),
      launcher_(::getppid()),
      pulse_(progress, Instant::clock::now()),
      due_(Instant::clock::now()) {
    if (rank_ == 0)
        keep_board(options_.size);
    else
        duty_ = std::make_unique<RankDuty>(setting_, plan_, rank_, due_);
}

void Keeper::keep_board(int size) {
    duty_ = std::make_unique<BoardDuty>(setting_, plan_, size, Instant::clock::now());
    rank_ = 0;
}

void Keeper::run() {
    block_sigpipe();
    while (true) {
        orders_.run_all();
        if (is_stopping_) break;
        forgive_gap(Instant::clock::now());
        heed_signals();
        const auto expiry = duty_->step(Instant::clock::now(), own_frame(FrameType::beat));
        if (expiry) end_by_deadline(*expiry);
        sleep();
    }
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    changed_.notify_all();
}

bool Keeper::stop(milliseconds patience) {
    post([this] {
        is_stopping_ = true;
        duty_->announce(own_frame(FrameType::goodbye));
        duty_->close();
    });
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [this] { return is_stopped_; });
}

std::string Keeper::board_address() {
    if (!duty_->address()) keep_board(-1);
    return to_text(*duty_->address());
}

void Keeper::connect(int rank, int size, const std::string& board_address) {
    if (rank == 0 && !duty_->address()) keep_board(size);
    if (rank != 0 && duty_->address()) {  // the launcher's variables were of another job
        duty_->close();
        duty_ = std::make_unique<RankDuty>(setting_, plan_, rank, Instant::clock::now());
    }
    rank_ = rank;
    duty_->connect(rank, size, parse_board_address(board_address));
}

Frame Keeper::own_frame(FrameType type) {
    Frame frame = pulse_.sample(Instant::clock::now());
    frame.type = type;
    frame.rank = rank_;
    frame.host = setting_.host;
    return frame;
}

void Keeper::sleep() {
    std::vector<pollfd> wakers = {{orders_.descriptor(), POLLIN, 0},
                                  {signals_.descriptor(), POLLIN, 0}};
    duty_->add_wakers(wakers);
    const milliseconds patience = duty_->patience();
    due_ = Instant::clock::now() + patience;
    ::poll(wakers.data(), wakers.size(), static_cast<int>(patience.count()));
}

/// A job that was suspended and goes on has not been idle meanwhile.
void Keeper::forgive_gap(Instant now) {
    constexpr milliseconds overslept{3000};
    if (now - due_ < overslept) return;
    pulse_.forgive(now - due_);
    duty_->forgive(now - due_);
}

void Keeper::heed_signals() {
    if (const auto signal = signals_.take()) end_by_signal(signal_name(*signal), 128 + *signal);
    // Orphans would go on writing the run that a new launch resumes.
    const bool launched = options_.rank >= 0;
    if (launched && ::getppid() != launcher_) {
        end_by_signal("the death of its launcher", 128 + SIGTERM);
    }
}

void Keeper::end_by_signal(const std::string& name, int exit_code) {
    const Frame own = own_frame(FrameType::signalled);
    duty_->announce(own);
    const std::string text = duty_->describe_end_by(name, own);
    if (!text.empty()) say(setting_.program, rank_, text);
    if (options_.wait_until_idle) options_.wait_until_idle(idle_patience_ms);
    duty_->see_off(own, see_off_patience);
    run_bounded([this] { duty_->close(); }, tidying_patience);
    ::_exit(exit_code);
}

void Keeper::end_by_deadline(const Expiry& expiry) {
    if (!expiry.text.empty()) say(setting_.program, rank_, expiry.text);
    if (expiry.report) write_report(*expiry.report);
    duty_->announce(own_frame(FrameType::expired));
    // The others leave by themselves, before the launcher sees this process end and kills them.
    if (rank_ == 0) ::poll(nullptr, 0, static_cast<int>(parting_time.count()));
    run_bounded([this] { duty_->close(); }, tidying_patience);
    ::_exit(static_cast<int>(ExitCode::deadline));
}

/// Rank 0's report replaces what an earlier attempt left; another rank's does not replace rank 0's.
void Keeper::write_report(const ExpiredReport& report) {
    if (!plan_.is_known() || options_.expired_report.empty()) return;
    run_bounded(
        [this, report] {
            std::error_code ignored;
            if (rank_ != 0 && std::filesystem::exists(options_.expired_report, ignored)) return;
            replace_file(options_.expired_report, to_json(report, plan_), 0644);
        },
        report_patience);
}

}  // namespace railgauge::board
