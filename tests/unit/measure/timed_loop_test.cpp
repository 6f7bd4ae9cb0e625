// SPDX-License-Identifier: Apache-2.0
// Nothing allocates or calls the kernel in the timed loop. A seccomp filter turns every system call
// of a child process into SIGSYS while the loop runs, and malloc is counted; both are switched on
// by the first operation and off by the last, so that exactly the loop is covered.
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <optional>

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fakes.hpp"
#include "measure/runner.hpp"

namespace {

constexpr int no_seccomp = 77;

struct Counts {
    volatile std::uint64_t system_calls = 0;
    volatile std::uint64_t allocations = 0;
    volatile std::uint64_t operations = 0;
};

bool armed =
    false;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): read by operator new
Counts* counts = nullptr;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): read by a
                           // signal handler

void count_system_call(int) {
    counts->system_calls = counts->system_calls + 1;
}

/// From now on every system call but exit_group and rt_sigreturn only raises SIGSYS.
void trap_system_calls() {
    struct sigaction action {};
    action.sa_handler = &count_system_call;
    sigaction(SIGSYS, &action, nullptr);
    std::array<sock_filter, 5> filter{
        {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(no_seccomp);
}

/// Arms in its first operation, ends the process in its last.
class ArmedWorkload : public railgauge::testing::FakeWorkload {
  public:
    ArmedWorkload(std::uint64_t operations, bool disturb)
        : operations_(operations), disturb_(disturb) {}

    void launch() override {
        if (++launched == 1) {
            trap_system_calls();
            armed = true;
        }
        if (disturb_ && launched == 3) {
            syscall(SYS_getppid);
            delete new int;
        }
        counts->operations = launched;
        if (launched == operations_) _exit(0);
    }

  private:
    std::uint64_t operations_;
    bool disturb_;
};

/// How iterations begin and how many operations a sample holds.
struct Loop {
    const char* name;
    railgauge::StartMode start;
    std::uint64_t ops_per_sample;
};

/// In a child process that traps system calls: as many samples as make `operations`. Does not
/// return.
[[noreturn]] void measure(const Loop& loop, std::uint64_t operations, bool disturb) {
    railgauge::testing::FakeTeam team;
    railgauge::Progress progress;
    railgauge::SampleBuffer buffer;
    ArmedWorkload workload(operations, disturb);
    railgauge::Runner runner(team, progress, railgauge::monotonic_clock,
                             {.start = loop.start,
                              .check = railgauge::CheckMode::off,
                              .warmup = 0,
                              .ops_per_sample = loop.ops_per_sample});
    const auto rule = railgauge::make_fixed_rule(operations / loop.ops_per_sample);
    runner.run(railgauge::Case("case", {}), workload, *rule, buffer);
    _exit(1);
}

/// What a Runner's timed loop did; none where seccomp filters cannot be had.
std::optional<Counts> run_in_child(const Loop& loop, std::uint64_t operations, bool disturb) {
    void* shared =
        mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    counts = new (shared) Counts;
    const pid_t child = fork();
    if (child == 0) measure(loop, operations, disturb);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    std::optional<Counts> result{std::in_place};
    result->system_calls = counts->system_calls;
    result->allocations = counts->allocations;
    result->operations = counts->operations;
    munmap(shared, sizeof(Counts));
    if (WEXITSTATUS(status) == no_seccomp) return std::nullopt;
    EXPECT_EQ(WEXITSTATUS(status), 0);
    return result;
}

class TimedLoopTest : public testing::TestWithParam<Loop> {};

TEST_P(TimedLoopTest, neither_allocates_nor_calls_the_kernel) {
    const auto result = run_in_child(GetParam(), 10'000, false);
    if (!result) GTEST_SKIP() << "this kernel gives no seccomp filters";
    EXPECT_EQ(result->operations, 10'000u);
    EXPECT_EQ(result->system_calls, 0u);
    EXPECT_EQ(result->allocations, 0u);
}

TEST_P(TimedLoopTest, would_notice_one_allocation_and_one_system_call) {
    const auto result = run_in_child(GetParam(), 10, true);
    if (!result) GTEST_SKIP() << "this kernel gives no seccomp filters";
    EXPECT_EQ(result->system_calls, 1u);
    EXPECT_EQ(result->allocations, 1u);
}

INSTANTIATE_TEST_SUITE_P(EveryLoop, TimedLoopTest,
                         testing::Values(Loop{"free", railgauge::StartMode::free, 1},
                                         Loop{"window", railgauge::StartMode::window, 1},
                                         Loop{"barrier", railgauge::StartMode::barrier, 1},
                                         Loop{"batched", railgauge::StartMode::free, 5}),
                         [](const auto& loop) { return loop.param.name; });

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
    if (armed) counts->allocations = counts->allocations + 1;
    if (void* memory = std::malloc(size))
        return memory;  // NOLINT(cppcoreguidelines-no-malloc): this is operator new
    throw std::bad_alloc();
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}  // NOLINT(cppcoreguidelines-no-malloc): as above
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}  // NOLINT(cppcoreguidelines-no-malloc)
