// SPDX-License-Identifier: Apache-2.0
#include "nccl/profiler.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "played_nccl.hpp"

namespace railgauge {
namespace {

using nccl_profiler::PlayedCommunicator;
using nccl_profiler::PlayedNccl;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Collective = PlayedCommunicator::Collective;

class NcclProfilerTest : public testing::Test {
  protected:
    void SetUp() override { forget(); }
    void TearDown() override { forget(); }

    static void forget() {
        ::unsetenv("NCCL_PROFILER_PLUGIN");
        ::unsetenv("RAILGAUGE_NCCL_PROFILER");
    }
};

AlgorithmUse all_reduce(std::uint64_t times) {
    return {"AllReduce", "RING", "SIMPLE", 8, times, 1024, 1024, "ncclFloat32"};
}

TEST_F(NcclProfilerTest, names_the_plugin_beside_the_program_to_nccl) {
    NcclProfiler profiler;
    EXPECT_FALSE(profiler.armed());
    profiler.arm();
    ASSERT_TRUE(profiler.armed()) << profiler.absence();
    EXPECT_THAT(profiler.absence(), IsEmpty());
    EXPECT_STREQ(std::getenv("NCCL_PROFILER_PLUGIN"), RAILGAUGE_PLUGIN);
}

TEST_F(NcclProfilerTest, counts_what_is_launched_while_active) {
    NcclProfiler profiler;
    profiler.arm();
    PlayedNccl nccl;
    PlayedCommunicator communicator(nccl);
    communicator.launch({});
    profiler.activate();
    communicator.launch({});
    communicator.launch({});
    communicator.launch({.algorithm = "NVLS"});
    profiler.deactivate();
    communicator.launch({});
    AlgorithmUse nvls = all_reduce(1);
    nvls.algorithm = "NVLS";
    EXPECT_THAT(profiler.take(), ElementsAre(all_reduce(2), nvls));
}

TEST_F(NcclProfilerTest, asks_for_no_event_unless_active) {
    NcclProfiler profiler;
    profiler.arm();
    PlayedNccl nccl;
    PlayedCommunicator communicator(nccl);
    EXPECT_EQ(nccl.mask(), 0);
    profiler.activate();
    EXPECT_EQ(nccl.mask(), 6);
    profiler.deactivate();
    EXPECT_EQ(nccl.mask(), 0);
}

TEST_F(NcclProfilerTest, leaves_nccl_inactive_at_its_end) {
    std::optional<NcclProfiler> profiler(std::in_place);
    profiler->arm();
    PlayedNccl nccl;
    PlayedCommunicator communicator(nccl);
    profiler->activate();
    profiler.reset();
    EXPECT_EQ(nccl.mask(), 0);
}

TEST_F(NcclProfilerTest, is_active_for_communicators_that_come_later) {
    NcclProfiler profiler;
    profiler.arm();
    profiler.activate();
    PlayedNccl nccl;
    PlayedCommunicator communicator(nccl);
    communicator.launch({});
    EXPECT_THAT(profiler.take(), ElementsAre(all_reduce(1)));
}

TEST_F(NcclProfilerTest, goes_on_for_the_communicators_that_stay) {
    NcclProfiler profiler;
    profiler.arm();
    PlayedNccl nccl;
    PlayedCommunicator stays(nccl);
    {
        PlayedCommunicator goes(nccl);
        profiler.activate();
        goes.launch({});
    }
    stays.launch({});
    EXPECT_THAT(profiler.take(), ElementsAre(all_reduce(2)));
}

TEST_F(NcclProfilerTest, writes_no_mask_whose_communicators_are_gone) {
    NcclProfiler profiler;
    profiler.arm();
    PlayedNccl nccl;
    { PlayedCommunicator communicator(nccl); }
    profiler.activate();
    EXPECT_EQ(nccl.mask(), 0);
}

TEST_F(NcclProfilerTest, serves_several_masks) {
    NcclProfiler profiler;
    profiler.arm();
    PlayedNccl one;
    PlayedNccl other;
    PlayedCommunicator of_one(one);
    PlayedCommunicator of_other(other);
    profiler.activate();
    EXPECT_EQ(one.mask(), 6);
    EXPECT_EQ(other.mask(), 6);
}

TEST_F(NcclProfilerTest, leaves_masks_beyond_its_storage_inactive) {
    NcclProfiler profiler;
    profiler.arm();
    profiler.activate();
    std::vector<PlayedNccl> nccls(20);
    std::vector<std::unique_ptr<PlayedCommunicator>> communicators;
    for (PlayedNccl& nccl : nccls)
        communicators.push_back(std::make_unique<PlayedCommunicator>(nccl));
    EXPECT_EQ(nccls.front().mask(), 6);
    EXPECT_EQ(nccls.back().mask(), 0);
}

TEST_F(NcclProfilerTest, keeps_the_range_of_sizes_and_says_when_datatypes_differ) {
    NcclProfiler profiler;
    profiler.arm();
    PlayedNccl nccl;
    PlayedCommunicator communicator(nccl);
    profiler.activate();
    communicator.launch({.elements = 100});
    communicator.launch({.elements = 7});
    communicator.launch({.elements = 9000, .datatype = "ncclInt8"});
    EXPECT_THAT(profiler.take(),
                ElementsAre(AlgorithmUse{"AllReduce", "RING", "SIMPLE", 8, 3, 7, 9000, "mixed"}));
}

TEST_F(NcclProfilerTest, point_to_point_has_no_algorithm) {
    NcclProfiler profiler;
    profiler.arm();
    PlayedNccl nccl;
    PlayedCommunicator communicator(nccl);
    profiler.activate();
    communicator.launch_send(2);
    EXPECT_THAT(profiler.take(),
                ElementsAre(AlgorithmUse{"Send", "", "", 2, 1, 4096, 4096, "ncclInt8"}));
}

TEST_F(NcclProfilerTest, taking_forgets) {
    NcclProfiler profiler;
    profiler.arm();
    PlayedNccl nccl;
    PlayedCommunicator communicator(nccl);
    profiler.activate();
    communicator.launch({});
    EXPECT_THAT(profiler.take(), SizeIs(1));
    EXPECT_THAT(profiler.take(), IsEmpty());
}

TEST_F(NcclProfilerTest, ignores_events_that_nccl_still_reports_when_inactive) {
    NcclProfiler profiler;
    profiler.arm();
    PlayedNccl nccl;
    PlayedCommunicator communicator(nccl);
    nccl_profiler::EventDescription replayed{};
    replayed.type = nccl_profiler::event_collective;
    replayed.collective.operation = "AllReduce";
    void* event = nullptr;
    nccl.profiler().start_event(nullptr, &event, &replayed);
    EXPECT_THAT(profiler.take(), IsEmpty());
}

TEST_F(NcclProfilerTest, loses_no_event_of_threads_with_communicators_of_their_own) {
    constexpr std::uint64_t launches = 2000;
    NcclProfiler profiler;
    profiler.arm();
    PlayedNccl nccl;
    PlayedCommunicator first(nccl);
    profiler.activate();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&nccl] {
            PlayedCommunicator communicator(nccl);
            for (std::uint64_t launch = 0; launch < launches; ++launch)
                communicator.launch({});
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    profiler.deactivate();
    EXPECT_THAT(profiler.take(), ElementsAre(all_reduce(4 * launches)));
}

TEST_F(NcclProfilerTest, may_be_switched_and_read_while_threads_launch) {
    NcclProfiler profiler;
    profiler.arm();
    PlayedNccl nccl;
    std::atomic<int> running{3};
    std::vector<std::thread> threads;
    for (int i = running; i > 0; --i) {
        threads.emplace_back([&] {
            for (int round = 0; round < 2000; ++round) {
                PlayedCommunicator communicator(nccl);
                communicator.launch({});
                communicator.launch_send(1);
            }
            --running;
        });
    }
    while (running > 0) {
        profiler.activate();
        for (const AlgorithmUse& use : profiler.take())
            EXPECT_FALSE(use.operation.empty());
        profiler.deactivate();
    }
    for (std::thread& thread : threads)
        thread.join();
}

TEST_F(NcclProfilerTest, survives_null_and_endless_names) {
    NcclProfiler profiler;
    profiler.arm();
    PlayedNccl nccl;
    PlayedCommunicator communicator(nccl);
    profiler.activate();
    const std::string endless(100000, 'x');
    communicator.launch({nullptr, nullptr, nullptr, 1, 1, nullptr});
    communicator.launch({endless.c_str(), endless.c_str(), endless.c_str(), 1, 1, endless.c_str()});
    communicator.launch({.operation = "\x1b[2J\xff"});
    const std::string cut(31, 'x');
    EXPECT_THAT(profiler.take(), ElementsAre(AlgorithmUse{"", "", "", 1, 1, 1, 1, ""},
                                             AlgorithmUse{cut, cut, cut, 1, 1, 1, 1, cut},
                                             AlgorithmUse{"?[2J?", "RING", "SIMPLE", 8, 1, 1024,
                                                          1024, "ncclFloat32"}));
}

TEST_F(NcclProfilerTest, says_more_when_there_are_more_uses_than_storage) {
    NcclProfiler profiler;
    profiler.arm();
    PlayedNccl nccl;
    PlayedCommunicator communicator(nccl);
    profiler.activate();
    for (int channels = 0; channels < 200; ++channels) {
        communicator.launch({.channels = static_cast<std::uint8_t>(channels)});
        communicator.launch({.channels = static_cast<std::uint8_t>(channels)});
    }
    const auto uses = profiler.take();
    ASSERT_THAT(uses, SizeIs(65));
    EXPECT_EQ(uses[63].times, 2U);
    EXPECT_EQ(uses.back(), (AlgorithmUse{"more", "", "", 0, 272, 0, 0, ""}));
}

TEST_F(NcclProfilerTest, accounts_for_every_event_whatever_its_names) {
    NcclProfiler profiler;
    profiler.arm();
    PlayedNccl nccl;
    PlayedCommunicator communicator(nccl);
    profiler.activate();
    std::minstd_rand random(20240607);
    const auto name = [&random] {
        std::string text(random() % 80, '\0');
        for (char& c : text)
            c = static_cast<char>(random() % 256);
        return text;
    };
    for (int i = 0; i < 5000; ++i) {
        const std::string operation = name(), algorithm = name(), protocol = name();
        communicator.launch({operation.c_str(), random() % 9 == 0 ? nullptr : algorithm.c_str(),
                             protocol.c_str(), static_cast<std::uint8_t>(random()), random(),
                             nullptr});
    }
    std::uint64_t times = 0;
    for (const AlgorithmUse& use : profiler.take())
        times += use.times;
    EXPECT_EQ(times, 5000U);
}

TEST_F(NcclProfilerTest, reads_no_more_entries_than_there_is_room_for) {
    NcclProfiler profiler;
    profiler.arm();
    PlayedNccl nccl;
    PlayedCommunicator communicator(nccl);
    profiler.activate();
    for (int channels = 0; channels < 70; ++channels)
        communicator.launch({.channels = static_cast<std::uint8_t>(channels)});
    void* const library = ::dlopen(RAILGAUGE_PLUGIN, RTLD_NOW | RTLD_NOLOAD);
    ASSERT_NE(library, nullptr);
    const auto read = reinterpret_cast<ProfilerRead>(::dlsym(library, "railgauge_profiler_read"));
    std::vector<ProfilerUse> two(2);
    EXPECT_EQ(read(two.data(), 2), 65);
    EXPECT_EQ(read(two.data(), -1), 65);
    EXPECT_EQ(read(nullptr, 7), 65);
    ::dlclose(library);
}

TEST_F(NcclProfilerTest, survives_calls_without_anything) {
    NcclProfiler profiler;
    profiler.arm();
    PlayedNccl nccl;
    nccl.profiler().init(nullptr, 0, nullptr, nullptr, 0, 0, 0, nullptr);
    nccl.profiler().start_event(nullptr, nullptr, nullptr);
    nccl.profiler().stop_event(nullptr);
    nccl.profiler().record_event_state(nullptr, 0, nullptr);
    nccl.profiler().finalize(nullptr);
    EXPECT_THAT(profiler.take(), IsEmpty());
}

TEST_F(NcclProfilerTest, a_plugin_of_the_user_is_left_alone) {
    ::setenv("NCCL_PROFILER_PLUGIN", "theirs", 1);
    NcclProfiler profiler;
    profiler.arm();
    EXPECT_FALSE(profiler.armed());
    EXPECT_THAT(profiler.absence(), HasSubstr("NCCL_PROFILER_PLUGIN"));
    EXPECT_STREQ(std::getenv("NCCL_PROFILER_PLUGIN"), "theirs");
}

TEST_F(NcclProfilerTest, what_cannot_be_loaded_is_unknown_and_not_named_to_nccl) {
    const std::string long_path = "/" + std::string(300, 'x');
    for (const char* path :
         {"/nowhere/plugin.so", "/etc/passwd", "libc.so.6", "", long_path.c_str()}) {
        ::setenv("RAILGAUGE_NCCL_PROFILER", path, 1);
        NcclProfiler profiler;
        profiler.arm();
        profiler.activate();
        EXPECT_THAT(profiler.take(), IsEmpty());
        profiler.deactivate();
        EXPECT_FALSE(profiler.armed());
        EXPECT_FALSE(profiler.absence().empty());
        EXPECT_EQ(std::getenv("NCCL_PROFILER_PLUGIN"), nullptr) << path;
    }
}

TEST_F(NcclProfilerTest, a_library_that_is_no_plugin_is_refused) {
    ::setenv("RAILGAUGE_NCCL_PROFILER", RAILGAUGE_OTHER_LIBRARY, 1);
    NcclProfiler profiler;
    profiler.arm();
    EXPECT_FALSE(profiler.armed());
    EXPECT_THAT(profiler.absence(), HasSubstr("no profiler plugin of this version"));
}

TEST_F(NcclProfilerTest, the_variable_says_where_the_plugin_lies) {
    ::setenv("RAILGAUGE_NCCL_PROFILER", RAILGAUGE_PLUGIN, 1);
    NcclProfiler profiler;
    profiler.arm();
    EXPECT_TRUE(profiler.armed()) << profiler.absence();
}

TEST_F(NcclProfilerTest, a_second_one_in_the_process_finds_the_same_plugin) {
    NcclProfiler first;
    first.arm();
    NcclProfiler second;
    second.arm();
    EXPECT_TRUE(second.armed()) << second.absence();
}

}  // namespace
}  // namespace railgauge
