// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rdma_tree.hpp"
#include "system/observers.hpp"
#include "system/rdma_counters.hpp"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

class RdmaObserverTest : public testing::Test {
  protected:
    /// The rows of a case in which `happens` happens.
    std::vector<CounterRow> observe(const std::function<void()>& happens = [] {}) {
        Observations observations;
        observer_->before();
        happens();
        observer_->after(observations);
        EXPECT_TRUE(observations.gauges.empty());
        return observations.counters;
    }

    /// The one counter of a case, called `name`.
    CounterRow one(const std::vector<CounterRow>& rows, const std::string& name) {
        const auto found = std::find_if(rows.begin(), rows.end(),
                                        [&](const CounterRow& row) { return row.name == name; });
        EXPECT_NE(found, rows.end()) << name;
        return found == rows.end() ? CounterRow{} : *found;
    }

    /// What a classic counter that goes from `before` to `after` is.
    CounterStatus status(const std::string& name, const std::string& before,
                         const std::string& after) {
        const fs::path file = tree_.port("mlx5_0") / "counters" / name;
        tree_.write(file, before + "\n");
        return one(observe([&] { tree_.write(file, after + "\n"); }), name).status;
    }

    RdmaTree tree_;
    std::unique_ptr<CaseObserver> observer_ = make_rdma_observer(tree_.class_folder());
};

TEST_F(RdmaObserverTest, rows_name_device_port_and_source) {
    tree_.write(tree_.port("mlx5_0") / "counters/port_xmit_data", "1000\n");
    tree_.write(tree_.port("mlx5_0") / "hw_counters/out_of_sequence", "7\n");
    tree_.write(tree_.path("class/infiniband/irdma0/hw_counters/ip4InDiscards"), "3\n");
    const auto rows =
        observe([&] { tree_.write(tree_.port("mlx5_0") / "counters/port_xmit_data", "1256\n"); });
    ASSERT_EQ(rows.size(), 3u);
    const CounterRow& device = rows[0];
    EXPECT_EQ(std::tie(device.device, device.source, device.name),
              std::tuple("irdma0", "rdma_hw", "ip4InDiscards"));
    EXPECT_EQ(device.port, -1);
    EXPECT_EQ(rows[1].source, "rdma_hw");
    EXPECT_EQ(rows[1].port, 1);
    EXPECT_EQ(rows[2].source, "rdma");
    EXPECT_EQ(rows[2].device, "mlx5_0");
    EXPECT_EQ(rows[2].before, 1000u);  // words of 4 bytes, as they are
    EXPECT_EQ(rows[2].after, 1256u);
    EXPECT_EQ(rows[2].status, CounterStatus::ok);
}

TEST_F(RdmaObserverTest, classic_counters_saturate_at_the_width_they_have) {
    using enum CounterStatus;
    EXPECT_EQ(status("excessive_buffer_overrun_errors", "14", "15"), saturated);
    EXPECT_EQ(status("link_downed", "254", "255"), saturated);
    EXPECT_EQ(status("link_downed", "255", "255"), saturated);
    EXPECT_EQ(status("symbol_error", "254", "255"), ok);
    EXPECT_EQ(status("symbol_error", "0", "65535"), saturated);
    EXPECT_EQ(status("port_xmit_wait", "0", "4294967295"), saturated);
    EXPECT_EQ(status("unicast_rcv_packets", "0", "4294967295"), ok);
    EXPECT_EQ(status("unicast_rcv_packets", "0", "18446744073709551615"), saturated);
}

TEST_F(RdmaObserverTest, a_classic_counter_that_passes_its_width_has_64_bits) {
    using enum CounterStatus;
    EXPECT_EQ(status("port_xmit_data", "4294967295", "4294967300"), ok);
    EXPECT_EQ(status("port_xmit_data", "4294967300", "4294967290"), wrapped);
}

TEST_F(RdmaObserverTest, a_counter_that_went_down_has_wrapped) {
    EXPECT_EQ(status("port_rcv_errors", "9", "2"), CounterStatus::wrapped);
}

TEST_F(RdmaObserverTest, hardware_counters_have_64_bits_whatever_they_are_called) {
    const fs::path file = tree_.port("rxe0") / "hw_counters/link_downed";
    tree_.write(file, "254\n");
    const auto rows = observe([&] { tree_.write(file, "255\n"); });
    EXPECT_EQ(one(rows, "link_downed").status, CounterStatus::ok);
}

TEST_F(RdmaObserverTest, what_goes_has_vanished_and_what_comes_has_appeared) {
    const fs::path folder = tree_.port("mlx5_0") / "hw_counters";
    tree_.write(folder / "goes", "1\n");
    tree_.write(folder / "stays", "2\n");
    tree_.write(folder / "turns_bad", "3\n");
    const auto rows = observe([&] {
        fs::remove(folder / "goes");
        tree_.write(folder / "comes", "4\n");
        tree_.write(folder / "turns_bad", "N/A (no PMA)\n");
        tree_.write(tree_.port("mlx5_1") / "counters/port_rcv_data", "5\n");
    });
    EXPECT_EQ(one(rows, "goes").status, CounterStatus::vanished);
    EXPECT_EQ(one(rows, "stays").status, CounterStatus::ok);
    EXPECT_EQ(one(rows, "turns_bad").status, CounterStatus::vanished);
    EXPECT_EQ(one(rows, "comes").status, CounterStatus::appeared);
    EXPECT_EQ(one(rows, "port_rcv_data").status, CounterStatus::appeared);
    fs::remove_all(tree_.path("class/infiniband/mlx5_0"));
    EXPECT_EQ(observe().size(), 1u);
}

TEST_F(RdmaObserverTest, a_device_that_came_back_is_read_anew) {
    const fs::path file = tree_.port("mlx5_0") / "hw_counters/out_of_sequence";
    tree_.write(file, "9\n");
    observe();
    const auto rows = observe([&] {
        tree_.write(file.string() + ".new", "1\n");  // keeps the inode from being used again
        fs::rename(file.string() + ".new", file);
    });
    EXPECT_EQ(one(rows, "out_of_sequence").after, 1u);
    EXPECT_EQ(one(rows, "out_of_sequence").status, CounterStatus::wrapped);
}

TEST_F(RdmaObserverTest, what_is_no_number_is_no_counter) {
    const fs::path folder = tree_.port("mlx5_0") / "counters";
    for (const char* text : {"", "\n", "-1\n", "1.5\n", "0x10\n", "1\n2\n", "1 2\n", "one\n",
                             "18446744073709551616\n"}) {
        tree_.write(folder / "odd", text);
        EXPECT_TRUE(observe().empty()) << text;
    }
    tree_.write(folder / "odd", std::string(1 << 20, '1'));
    EXPECT_TRUE(observe().empty());
    tree_.write(folder / "odd", "12");
    EXPECT_EQ(one(observe(), "odd").before, 12u);
}

TEST_F(RdmaObserverTest, what_is_no_regular_file_is_no_counter) {
    const fs::path folder = tree_.port("mlx5_0") / "hw_counters";
    fs::create_directories(folder / "a_folder");
    fs::create_symlink("loop", folder / "loop");
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    tree_.write(folder / std::string(65, 'n'), "1\n");
    tree_.write(folder / "ctrl\x1b", "1\n");
    tree_.write(tree_.path("class/infiniband/mlx5_0/ports/300/counters/x"), "1\n");
    EXPECT_TRUE(observe().empty());
}

TEST_F(RdmaObserverTest, a_file_without_permission_is_no_counter) {
    const fs::path folder = tree_.port("mlx5_0") / "counters";
    tree_.write(folder / "symbol_error", "1\n");
    tree_.write(folder / "link_downed", "2\n");
    fs::permissions(folder / "symbol_error", fs::perms::none);
    fs::permissions(tree_.path(""), fs::perms{0711});
    constexpr uid_t nobody = 65534;
    const uid_t user = geteuid();
    // Root may read every file.
    ASSERT_EQ(seteuid(user == 0 ? nobody : user), 0);
    const auto rows = observe();
    ASSERT_EQ(seteuid(user), 0);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].name, "link_downed");
}

TEST_F(RdmaObserverTest, a_kernel_without_rdma_gives_no_rows) {
    EXPECT_TRUE(observe().empty());
    fs::remove_all(tree_.path("class"));
    EXPECT_TRUE(observe().empty());
}

TEST_F(RdmaObserverTest, lifespan_is_a_setting_that_the_second_reading_outlives) {
    const fs::path folder = tree_.port("mlx5_0") / "hw_counters";
    tree_.write(folder / "lifespan", "12\n");
    tree_.write(folder / "rnr_nak_retry_err", "0\n");
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(observe().size(), 1u);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(12));
}

TEST(RdmaCounterFilesTest, keeps_no_more_files_open_than_it_may_and_reads_all) {
    const RdmaTree tree;
    const fs::path folder = tree.port("mlx5_0") / "hw_counters";
    for (int i = 0; i < 10; ++i)
        tree.write(folder / ("c" + std::to_string(i)), std::to_string(i));
    RdmaCounterFiles files(tree.class_folder(), 4);
    EXPECT_EQ(files.read().size(), 10u);
    EXPECT_EQ(files.open_files(), 4u);
    for (int i = 0; i < 9; ++i)
        fs::remove(folder / ("c" + std::to_string(i)));
    const auto left = files.read();
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].value, 9u);
    EXPECT_LE(files.open_files(), 1u);
}

/// The shortest of many times that `work` takes; a busy machine makes the others.
int shortest_microseconds(const std::function<void()>& work) {
    auto shortest = std::chrono::nanoseconds::max();
    for (int i = 0; i < 50; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        shortest =
            std::min<std::chrono::nanoseconds>(shortest, std::chrono::steady_clock::now() - begin);
    }
    return static_cast<int>(shortest.count() / 1000);
}

TEST(RdmaCounterFilesTest, says_what_a_node_of_eight_devices_costs) {
    const RdmaTree tree;
    for (int device = 0; device < 8; ++device) {
        for (int i = 0; i < 20; ++i) {
            const fs::path port = tree.port("mlx5_" + std::to_string(device));
            tree.write(port / "counters" / ("classic_" + std::to_string(i)), "123456789\n");
            tree.write(port / "hw_counters" / ("hardware_" + std::to_string(i)), "123456789\n");
        }
    }
    RdmaCounterFiles kept(tree.class_folder(), 1000);
    RdmaCounterFiles opened(tree.class_folder(), 0);
    const auto observer = make_rdma_observer(tree.class_folder());
    const int kept_us = shortest_microseconds([&] { EXPECT_EQ(kept.read().size(), 320u); });
    const int opened_us = shortest_microseconds([&] { EXPECT_EQ(opened.read().size(), 320u); });
    const int case_us = shortest_microseconds([&] {
        Observations observations;
        observer->before();
        observer->after(observations);
        EXPECT_EQ(observations.counters.size(), 320u);
    });
    std::printf("320 counters: %d us kept open, %d us opened anew; a case %d us\n", kept_us,
                opened_us, case_us);
}

}  // namespace
}  // namespace railgauge
