// SPDX-License-Identifier: Apache-2.0
// SIGKILL at any instant costs at most the case in flight.
#include <algorithm>
#include <csignal>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/run_start.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

constexpr int cases = 200;

[[noreturn]] void measure_until_killed(const RunPaths& paths, const RunContext& context,
                                       const std::vector<Case>& plan) {
    const RunStart start = start_run(paths, ExistingRun::resume, context, plan);
    const auto samples = test::numbered_samples(0, 2'000);
    const test::RankData rank{&samples};
    for (int id = 0; id < cases; ++id) {
        if (start.parts[static_cast<std::size_t>(id)] == PartState::finished) continue;
        test::write_part(paths.part(id), plan, id, test::make_result(CaseStatus::done), {rank},
                         context.plan_id);
    }
    ::_exit(0);
}

/// Ends the writer after `us`, or lets it end when `us` is 0.
void run_writer(const RunPaths& paths, const RunContext& context, const std::vector<Case>& plan,
                useconds_t us) {
    const pid_t writer = ::fork();
    if (writer == 0) measure_until_killed(paths, context, plan);
    if (us > 0) {
        ::usleep(us);
        ::kill(writer, SIGKILL);
    }
    ::waitpid(writer, nullptr, 0);
}

TEST(KilledWriterTest, every_part_with_a_name_is_whole_and_the_run_can_be_completed) {
    const test::TemporaryFolder folder;
    const RunPaths paths(folder.path() / "run");
    const RunContext context = test::make_context(1);
    const std::vector<Case> plan = test::make_cases(cases);
    std::mt19937 random(1);  // NOLINT: the same instants, as far as the machine lets them be
    for (int kill = 0; kill < 15; ++kill) {
        run_writer(paths, context, plan, 1 + static_cast<useconds_t>(random() % 20'000));
        const RunStart resumed = start_run(paths, ExistingRun::resume, context, plan);
        for (const Case& c : plan) {
            const bool is_named = std::filesystem::exists(paths.part(c.id()));
            EXPECT_EQ(resumed.parts[static_cast<std::size_t>(c.id())],
                      is_named ? PartState::finished : PartState::missing);
        }
        const auto names = test::list(paths.folder());
        EXPECT_TRUE(std::none_of(names.begin(), names.end(),
                                 [](const std::string& name) { return name.ends_with(".tmp"); }));
    }
    run_writer(paths, context, plan, 0);
    EXPECT_EQ(start_run(paths, ExistingRun::resume, context, plan).parts,
              std::vector<PartState>(cases, PartState::finished));
}

}  // namespace
}  // namespace railgauge
