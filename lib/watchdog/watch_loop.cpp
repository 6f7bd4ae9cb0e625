// SPDX-License-Identifier: Apache-2.0
#include "watchdog/watch_loop.hpp"

#include <csignal>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/replace_file.hpp"
#include "watchdog/wording.hpp"

namespace railgauge::board {
namespace {

using std::chrono::nanoseconds;

// Launchers send SIGKILL a second after SIGTERM: grace for deaths, files and the rendezvous fit in.
constexpr int idle_patience_ms = 600;
constexpr milliseconds tidying_patience{100};
constexpr milliseconds report_patience{1500};
constexpr milliseconds rank_0_patience{800};
constexpr milliseconds parting_time{300};
constexpr milliseconds evidence_patience{1800};
constexpr milliseconds abandon_patience{2000};

Setting setting_of(const Watchdog::Options& options) {
    return {options.program,
            options.host,
            launcher_job(),
            options.control_interface,
            options.rendezvous,
            options.schema,
            limits_for(std::chrono::ceil<milliseconds>(options.deadline))};
}

/// A closed stderr must not end the process in the middle of its last words.
void block_sigpipe() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

std::optional<nanoseconds> read_clock(clockid_t clock) {
    timespec time{};
    if (::clock_gettime(clock, &time) != 0) return std::nullopt;  // the thread has ended
    return std::chrono::seconds{time.tv_sec} + nanoseconds{time.tv_nsec};
}

/// Runs `work` in a thread of its own and waits for it no longer than `limit`: for work that
/// touches what may hang, just before the process ends. @return whether it was done
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

}  // namespace

ProgressSampler::ProgressSampler(const Progress& progress, Instant now)
    : progress_(progress), pulse_(progress.pulse()), changed_(now), cpu_sampled_(now) {
    has_cpu_clock_ = ::pthread_getcpuclockid(::pthread_self(), &cpu_clock_) == 0;
    if (has_cpu_clock_) cpu_before_ = read_clock(cpu_clock_).value_or(nanoseconds{0});
}

Frame ProgressSampler::sample(Instant now) {
    const std::uint64_t pulse = progress_.pulse();
    if (pulse != pulse_) changed_ = now;
    pulse_ = pulse;
    sample_cpu(now);
    Frame frame;
    frame.at = progress_.snapshot();
    frame.pulse = pulse;
    frame.idle = std::chrono::duration_cast<milliseconds>(now - changed_);
    frame.cpu_ms = cpu_ms_;
    return frame;
}

void ProgressSampler::sample_cpu(Instant now) {
    constexpr milliseconds least{500};  // shorter stretches say little on a shared core
    const nanoseconds wall = now - cpu_sampled_;
    if (!has_cpu_clock_ || wall < least) return;
    const auto cpu = read_clock(cpu_clock_);
    if (!cpu) return;
    cpu_ms_ = static_cast<std::uint32_t>((*cpu - cpu_before_) * 1000 / wall);
    cpu_before_ = *cpu;
    cpu_sampled_ = now;
}

WatchLoop::WatchLoop(const Progress& progress, Watchdog::Options options)
    : options_(std::move(options)),
      setting_(setting_of(options_)),
      rank_(options_.rank),
      launcher_(::getppid()),
      sampler_(progress, Instant::clock::now()),
      due_(Instant::clock::now()) {
    if (rank_ == 0)
        open_board(options_.size);
    else
        side_ = make_rank_side(setting_, plan_, rank_, due_);
}

void WatchLoop::open_board(int size) {
    side_ = make_board_side(setting_, plan_, size, Instant::clock::now());
    rank_ = 0;
}

void WatchLoop::run() {
    block_sigpipe();
    while (true) {
        tasks_.run_all();
        if (is_stopping_) break;
        forgive_gap(Instant::clock::now());
        obey_signals();
        const auto expiry = side_->step(Instant::clock::now(), own_frame(FrameType::beat));
        if (expiry) end_by_deadline(*expiry);
        sleep();
    }
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    changed_.notify_all();
}

bool WatchLoop::stop(milliseconds patience) {
    post([this] {
        is_stopping_ = true;
        side_->announce(own_frame(FrameType::goodbye));
        side_->close();
    });
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [this] { return is_stopped_; });
}

std::string WatchLoop::board_address() {
    if (!side_->address()) open_board(-1);
    return to_text(*side_->address());
}

void WatchLoop::connect(int rank, int size, const std::string& board_address) {
    if (rank == 0 && !side_->address()) open_board(size);
    if (rank != 0 && side_->address()) {  // the launcher's variables were of another job
        side_->close();
        side_ = make_rank_side(setting_, plan_, rank, Instant::clock::now());
    }
    rank_ = rank;
    side_->connect(rank, size, parse_board_address(board_address));
}

Frame WatchLoop::own_frame(FrameType type) {
    Frame frame = sampler_.sample(Instant::clock::now());
    frame.type = type;
    frame.rank = rank_;
    frame.host = setting_.host;
    if (library_.error) frame.library_error = library_.error();
    return frame;
}

void WatchLoop::sleep() {
    std::vector<pollfd> wakers = {{tasks_.descriptor(), POLLIN, 0},
                                  {signals_.descriptor(), POLLIN, 0}};
    side_->add_wakers(wakers);
    const milliseconds longest = side_->longest_sleep();
    due_ = Instant::clock::now() + longest;
    ::poll(wakers.data(), wakers.size(), static_cast<int>(longest.count()));
}

/// A job that was suspended and goes on has not been idle meanwhile.
void WatchLoop::forgive_gap(Instant now) {
    constexpr milliseconds overslept{3000};
    if (now - due_ < overslept) return;
    sampler_.forgive(now - due_);
    side_->forgive(now - due_);
}

void WatchLoop::obey_signals() {
    if (const auto signal = signals_.take()) end_by_signal(signal_name(*signal), 128 + *signal);
    // Orphans would go on writing the run that a new launch resumes.
    const bool launched = options_.rank >= 0;
    if (launched && ::getppid() != launcher_) {
        end_by_signal("the death of its launcher", 128 + SIGTERM);
    }
}

void WatchLoop::end_by_signal(const std::string& name, int exit_code) {
    const Frame own = own_frame(FrameType::signalled);
    side_->announce(own);
    // A job that was refused has said why, and the launcher ends its ranks as the first one leaves.
    const bool was_refused = own.at.phase == Phase::finalize && !plan_.is_known();
    const std::string text = was_refused ? "" : side_->describe_end_by(name, own);
    if (!text.empty()) say(setting_.program, rank_, text);
    if (options_.wait_until_idle) options_.wait_until_idle(idle_patience_ms);
    side_->let_rank_0_end_first(own, rank_0_patience);
    run_bounded([this] { side_->close(); }, tidying_patience);
    ::_exit(exit_code);
}

void WatchLoop::end_by_deadline(const Expiry& expiry) {
    if (expiry.report) {
        say(setting_.program, rank_, expiry.report->text);
        write_report(*expiry.report);
    }
    side_->announce(own_frame(FrameType::expired));
    if (library_.abandon) run_bounded(library_.abandon, abandon_patience);
    // The others leave by themselves, before the launcher sees this process end and kills them.
    if (rank_ == 0) ::poll(nullptr, 0, static_cast<int>(parting_time.count()));
    run_bounded([this] { side_->close(); }, tidying_patience);
    ::_exit(static_cast<int>(ExitCode::deadline));
}

/// Rank 0's report replaces what an earlier attempt left; another rank's does not replace rank 0's.
void WatchLoop::write_report(ExpiredReport report) {
    if (!plan_.is_known() || options_.expired_report.empty()) return;
    report.library.describe = library_.describe;
    if (library_.evidence) {
        const auto text = std::make_shared<std::string>();
        if (run_bounded([text, ask = library_.evidence] { *text = ask(); }, evidence_patience))
            report.library.evidence = *text;
    }
    run_bounded(
        [this, report] {
            std::error_code ignored;
            if (rank_ != 0 && std::filesystem::exists(options_.expired_report, ignored)) return;
            replace_file(options_.expired_report, to_json(report, plan_), 0644);
        },
        report_patience);
}

}  // namespace railgauge::board
