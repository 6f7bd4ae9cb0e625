// SPDX-License-Identifier: Apache-2.0
// Whole watchdogs in processes of their own, over loopback. Deadlines are short; no time is
// asserted, each test only ends when what it waits for happens.
#include <csignal>
#include <deque>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rank_process.hpp"
#include "temporary_folder.hpp"

namespace railgauge {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Script = std::vector<std::string>;

constexpr int deadline_code = 5;
constexpr int killed = 1000 + SIGKILL;

/// The beginning of most scripts: connected, planned, in the timed phase of case 0.
const Script in_case = {"phase=init", "connect", "phase=setup", "plan", "case=0", "phase=timed"};

Script operator+(Script a, const Script& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

class WatchdogTest : public testing::Test {
  protected:
    void SetUp() override { std::filesystem::create_directory(folder_.path() / "run.h5.parts"); }

    RankProcess& start(int rank, const Script& script) {
        return ranks_.emplace_back(rank, size_, deadline_, folder_.path(), script);
    }

    void touch(const std::string& name) const { std::ofstream(folder_.path() / name).flush(); }

    void await(const std::string& name) const {
        while (!std::filesystem::exists(folder_.path() / name)) {
            std::this_thread::sleep_for(milliseconds{5});
        }
    }

    static bool says(const RankProcess& rank, const std::string& text) {
        for (int i = 0; i < 6000; ++i) {
            if (rank.said().find(text) != std::string::npos) return true;
            std::this_thread::sleep_for(milliseconds{10});
        }
        return false;
    }

    bool has_report() const {
        return std::filesystem::exists(folder_.path() / "run.h5.parts" / "expired.json");
    }

    nlohmann::json report() const {
        std::ifstream file(folder_.path() / "run.h5.parts" / "expired.json");
        return nlohmann::json::parse(file);
    }

    board::TemporaryFolder folder_;
    int size_ = 3;
    milliseconds deadline_{1500};
    std::deque<RankProcess> ranks_;
};

TEST_F(WatchdogTest, is_silent_when_all_ranks_end_cleanly) {
    const Script script = in_case + Script{"tick=300", "phase=finalize", "close"};
    for (int rank = 0; rank < size_; ++rank)
        start(rank, script);
    for (RankProcess& rank : ranks_) {
        EXPECT_EQ(rank.wait(), 0);
        EXPECT_THAT(rank.said(), IsEmpty());
    }
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "run.h5.board"));
}

TEST_F(WatchdogTest, names_a_rank_that_does_not_enter_and_ends_all) {
    start(0, in_case + Script{"enter=7", "wait"});
    start(1, in_case + Script{"enter=7", "wait"});
    start(2, in_case + Script{"leave=6", "wait"});
    for (RankProcess& rank : ranks_)
        EXPECT_EQ(rank.wait(), deadline_code);
    EXPECT_THAT(ranks_[0].said(),
                AllOf(HasSubstr("in case case/영 (operation all_reduce, 1024 bytes, phase timed, "
                                "iteration 7)"),
                      HasSubstr("rank 2 on 노드2 had not entered it")));
    EXPECT_THAT(ranks_[1].said() + ranks_[2].said(), IsEmpty()) << "rank 0 speaks for all";
    const auto json = report();
    EXPECT_EQ(json["case"], 0);
    EXPECT_EQ(json["plan_id"], "5eed");
    EXPECT_EQ(json["ranks"][2]["state"], "not-entered");
    EXPECT_EQ(json["ranks"][2]["host"], "노드2");
}

TEST_F(WatchdogTest, names_a_rank_that_is_stopped) {
    start(0, in_case + Script{"enter=7", "joined", "wait"});
    start(1, in_case + Script{"enter=7", "wait"});
    start(2, in_case + Script{"enter=7", "joined", "stop", "wait"});
    EXPECT_EQ(ranks_[0].wait(), deadline_code);
    EXPECT_THAT(ranks_[0].said(), HasSubstr("rank 2 on 노드2 did not answer"));
    EXPECT_EQ(report()["ranks"][2]["state"], "silent");
    ranks_[2].signal(SIGCONT);
    EXPECT_EQ(ranks_[2].wait(), deadline_code) << "it learns when it goes on";
}

TEST_F(WatchdogTest, points_at_the_rank_that_sleeps_while_others_poll) {
    deadline_ = milliseconds{3000};
    start(0, in_case + Script{"enter=7", "spin=60000"});
    start(1, in_case + Script{"enter=7", "wait"});
    start(2, in_case + Script{"enter=7", "spin=60000"});
    EXPECT_EQ(ranks_[0].wait(), deadline_code);
    EXPECT_THAT(ranks_[0].said(), HasSubstr("rank 1 on 노드1 slept while others kept polling"));
}

TEST_F(WatchdogTest, names_a_rank_that_never_comes) {
    start(0, {"phase=init", "wait"});
    start(1, {"phase=init", "wait"});
    EXPECT_EQ(ranks_[0].wait(), deadline_code);
    EXPECT_EQ(ranks_[1].wait(), deadline_code);
    EXPECT_THAT(ranks_[0].said(),
                AllOf(HasSubstr("phase init"), HasSubstr("rank 2 never reported")));
    EXPECT_FALSE(has_report()) << "before the plan the folder is not this run's";
}

TEST_F(WatchdogTest, lets_ranks_wait_while_one_gets_on) {
    size_ = 2;
    deadline_ = milliseconds{1000};
    start(0, in_case + Script{"phase=record", "tick=4000", "close"});
    RankProcess& waiting =
        start(1, in_case + Script{"phase=record", "touch=waits", "file=done", "close"});
    EXPECT_EQ(ranks_[0].wait(), 0);
    EXPECT_TRUE(waiting.is_running());
    EXPECT_THAT(ranks_[0].said() + waiting.said(), IsEmpty());
    touch("done");
    EXPECT_EQ(waiting.wait(), 0);
}

TEST_F(WatchdogTest, says_at_once_which_rank_died_and_where) {
    deadline_ = milliseconds{0};
    start(0, in_case + Script{"enter=3", "joined", "wait"});
    start(1, in_case + Script{"enter=3", "wait"});
    start(2, in_case + Script{"enter=3", "joined", "die"});
    EXPECT_EQ(ranks_[2].wait(), killed);
    EXPECT_TRUE(says(ranks_[0],
                     "rank 2 on 노드2 died in case case/영 (operation all_reduce, 1024 "
                     "bytes, phase timed, iteration 3)"))
        << ranks_[0].said();
    ranks_[0].signal(SIGTERM);
    EXPECT_EQ(ranks_[0].wait(), 128 + SIGTERM);
    EXPECT_THAT(ranks_[0].said(), Not(HasSubstr("interrupted"))) << "the death is the reason";
}

TEST_F(WatchdogTest, names_a_rank_that_died_before_it_reported_when_the_launcher_ends_the_rest) {
    start(0, {"phase=init", "touch=started", "wait"});
    await("started");
    ranks_[0].signal(SIGTERM);
    EXPECT_EQ(ranks_[0].wait(), 128 + SIGTERM);
    EXPECT_THAT(ranks_[0].said(), AllOf(HasSubstr("interrupted by SIGTERM in phase init"),
                                        HasSubstr("before ranks 1-2 had reported")));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "run.h5.board"));
}

TEST_F(WatchdogTest, tells_an_interruption_from_deaths) {
    for (int rank = 0; rank < size_; ++rank) {
        start(rank,
              in_case + Script{"enter=3", "joined", "touch=r" + std::to_string(rank), "wait"});
    }
    for (int rank = 0; rank < size_; ++rank)
        await("r" + std::to_string(rank));
    for (auto rank = ranks_.rbegin(); rank != ranks_.rend(); ++rank)
        rank->signal(SIGINT);
    for (RankProcess& rank : ranks_)
        EXPECT_EQ(rank.wait(), 128 + SIGINT);
    EXPECT_THAT(ranks_[0].said(), AllOf(HasSubstr("interrupted by SIGINT in case case/영"),
                                        HasSubstr("--resume goes on"), Not(HasSubstr("died"))));
    EXPECT_THAT(ranks_[1].said() + ranks_[2].said(), IsEmpty());
}

TEST_F(WatchdogTest, adds_nothing_to_what_a_failing_rank_has_said) {
    start(0, in_case + Script{"joined", "wait"});
    start(1, in_case + Script{"wait"});
    start(2, in_case + Script{"joined", "fail", "exit=6"});
    EXPECT_EQ(ranks_[2].wait(), 6);
    ranks_[0].signal(SIGTERM);
    EXPECT_EQ(ranks_[0].wait(), 128 + SIGTERM);
    EXPECT_THAT(ranks_[0].said(), IsEmpty());
}

TEST_F(WatchdogTest, gives_up_without_rank_0_and_names_it) {
    size_ = 2;
    start(0, in_case + Script{"enter=3", "joined", "stop"});
    start(1, in_case + Script{"enter=3", "wait"});
    EXPECT_EQ(ranks_[1].wait(), deadline_code);
    EXPECT_THAT(ranks_[1].said(),
                AllOf(HasSubstr("in case case/영"), HasSubstr("rank 0 on 노드0")));
    const auto json = report();
    EXPECT_EQ(json["ranks"][0]["rank"], 0);
    EXPECT_EQ(json["ranks"][0]["state"], "silent");
    EXPECT_EQ(json["ranks"][1]["rank"], 1);
}

TEST_F(WatchdogTest, rank_1_says_that_rank_0_died) {
    deadline_ = milliseconds{0};
    start(0, in_case + Script{"enter=3", "joined", "die"});
    start(1, in_case + Script{"enter=3", "wait"});
    start(2, in_case + Script{"enter=3", "wait"});
    EXPECT_TRUE(says(ranks_[1], "rank 0 on 노드0 died in case case/영")) << ranks_[1].said();
    EXPECT_THAT(ranks_[2].said(), IsEmpty()) << "one rank is enough";
}

TEST_F(WatchdogTest, ends_orphans) {
    // The rank's parent is a shell that ends: the launcher's fate under SIGKILL.
    size_ = 1;
    const std::string line = "'" WATCHDOG_RANK "' 0 1 0 '" + folder_.path().string() +
                             "' touch=started wait 2> '" + (folder_.path() / "orphan").string() +
                             "' & while [ ! -e '" + (folder_.path() / "started").string() +
                             "' ]; do sleep 0.05; done";
    ASSERT_EQ(std::system(line.c_str()), 0);
    for (int i = 0; i < 3000; ++i) {
        std::ifstream file(folder_.path() / "orphan");
        const std::string said(std::istreambuf_iterator<char>(file), {});
        if (said.find("interrupted by the death of its launcher") != std::string::npos) return;
        std::this_thread::sleep_for(milliseconds{10});
    }
    FAIL() << "the orphan still runs";
}

}  // namespace
}  // namespace railgauge
