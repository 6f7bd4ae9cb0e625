// SPDX-License-Identifier: Apache-2.0
// A part from the ranks' samples to the file, without MPI.
#include <memory>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "base/error.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

using test::exists;
using test::FakeSamples;
using test::numbered_samples;
using test::RankData;
using test::read_attribute;
using test::read_integer_column;
using test::read_integers;
using test::read_text_column;
using test::write_part;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

class PartTest : public testing::Test {
  protected:
    void write(const std::vector<RankData>& ranks, const test::GatherOptions& options = {}) {
        write_part(path_, plan_, 1, result_, ranks, "0123456789abcdef", options);
    }

    test::TemporaryFolder folder_;
    std::filesystem::path path_ = folder_.path() / "0001.h5";
    std::vector<Case> plan_ = test::make_cases(2);
    CaseResult result_ = test::make_result(CaseStatus::done);
};

TEST_F(PartTest, holds_every_sample_of_every_rank_in_order) {
    const FakeSamples first = numbered_samples(0, 2);
    const FakeSamples idle = numbered_samples(1, 0);
    const FakeSamples third = numbered_samples(2, 3);
    write({{&first, 4}, {&idle, -1}, {&third, 4}});
    EXPECT_THAT(read_integers(path_, "samples/0001/offsets"), ElementsAre(0, 2, 2, 5));
    EXPECT_THAT(read_integers(path_, "samples/0001/group"), ElementsAre(4, -1, 4));
    EXPECT_THAT(read_integers(path_, "samples/0001/start_ns"),
                ElementsAre(0, 1, 2'000'000, 2'000'001, 2'000'002));
    EXPECT_THAT(read_integers(path_, "samples/0001/elapsed_ns"),
                ElementsAre(0, -1, -2'000'000, -2'000'001, -2'000'002));
    EXPECT_EQ(read_attribute(path_, "samples/0001/start_ns", "unit"), "ns");
    EXPECT_EQ(read_attribute(path_, "samples/0001/bytes", "unit"), "B");
    EXPECT_EQ(read_attribute(path_, "/", "schema"), "railgauge/1");
    EXPECT_EQ(read_attribute(path_, "/", "plan_id"), "0123456789abcdef");
}

TEST_F(PartTest, is_the_same_however_small_the_blocks_are) {
    const FakeSamples first = numbered_samples(0, 7);
    const FakeSamples second = numbered_samples(1, 20);
    write({{&first}, {&second}});
    const auto start = read_integers(path_, "samples/0001/start_ns");
    const auto elapsed = read_integers(path_, "samples/0001/elapsed_ns");
    for (const std::size_t block_cells : {1, 5, 8, 12, 40}) {
        write({{&first}, {&second}}, {.block_cells = block_cells});
        EXPECT_EQ(read_integers(path_, "samples/0001/start_ns"), start) << block_cells;
        EXPECT_EQ(read_integers(path_, "samples/0001/elapsed_ns"), elapsed) << block_cells;
    }
}

TEST_F(PartTest, more_ranks_than_one_write_takes_pieces_are_all_written) {
    std::vector<std::unique_ptr<FakeSamples>> samples;
    std::vector<RankData> ranks;
    for (int rank = 0; rank < 2500; ++rank) {
        samples.push_back(std::make_unique<FakeSamples>(numbered_samples(rank, 2)));
        ranks.push_back({samples.back().get()});
    }
    write(ranks);
    const auto start = read_integers(path_, "samples/0001/start_ns");
    ASSERT_THAT(start, SizeIs(5000));
    for (int i = 0; i < 5000; ++i) {
        ASSERT_EQ(start[static_cast<std::size_t>(i)], std::int64_t{i / 2} * 1'000'000 + i % 2);
    }
}

TEST_F(PartTest, a_constant_column_reads_back_in_full_and_takes_no_space) {
    const FakeSamples samples = numbered_samples(0, 1000);
    write({{&samples}});
    const auto bytes = read_integers(path_, "samples/0001/bytes");
    EXPECT_THAT(bytes, SizeIs(1000));
    EXPECT_THAT(bytes, Each(4096));
    const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, "samples/0001/bytes", H5P_DEFAULT);
    EXPECT_EQ(H5Dget_storage_size(dataset), 0U);
    H5Dclose(dataset);
    H5Fclose(file);
}

TEST_F(PartTest, constants_come_from_a_rank_that_measured) {
    const FakeSamples idle({}, {}, 0);
    const FakeSamples samples = numbered_samples(1, 3);
    write({{&idle, -1}, {&samples}});
    EXPECT_THAT(read_integers(path_, "samples/0001/bytes"), ElementsAre(4096, 4096, 4096));
}

TEST_F(PartTest, refuses_a_constant_that_differs_between_ranks) {
    const FakeSamples first({1}, {1}, 100);
    const FakeSamples second({1}, {1}, 200);
    EXPECT_THAT(
        [&] {
            write({{&first}, {&second}});
        },
        ThrowsMessage<Error>(HasSubstr("differs between ranks 0 and 1")));
    EXPECT_THAT(test::list(folder_.path()), IsEmpty());
}

TEST_F(PartTest, refuses_ranks_with_other_columns) {
    const FakeSamples first({1}, {1}, 100);
    const test::OtherSamples second;
    EXPECT_THAT(
        [&] {
            write({{&first}, {&second}});
        },
        ThrowsMessage<Error>(HasSubstr("rank 1 has other columns")));
    EXPECT_THAT(
        [&] {
            write({RankData{}, {&second}});
        },
        ThrowsMessage<Error>(HasSubstr("rank 1 has other columns")));
    EXPECT_THAT(test::list(folder_.path()), IsEmpty());
}

TEST_F(PartTest, moves_start_times_and_nothing_else_to_the_common_clock) {
    const FakeSamples samples({-5, 7}, {3, 4}, 1);
    RankData rank{&samples};
    rank.observations.gauges = {{40, "eth0", "sysfs", "temperature", 1.5}};
    write({rank}, {.block_cells = 100, .shift_ns = 1000});
    EXPECT_THAT(read_integers(path_, "samples/0001/start_ns"), ElementsAre(995, 1007));
    EXPECT_THAT(read_integers(path_, "samples/0001/elapsed_ns"), ElementsAre(3, 4));
    EXPECT_THAT(read_integer_column(path_, "series/0001", "time_ns"), ElementsAre(1040));
}

TEST_F(PartTest, holds_the_observations_of_every_node) {
    RankData first;
    first.observations.counters = {
        {"mlx5_0", 1, "sysfs", "port_xmit_data", 5, UINT64_MAX, CounterStatus::saturated}};
    RankData second;
    second.node = 1;
    second.observations.counters = {{"네트워크", -1, "ethtool", "rx", 1, 2, CounterStatus::ok}};
    second.observations.gauges = {{1, "gpu0", "nvml", "power", 250.5}};
    write({first, RankData{}, second});
    EXPECT_THAT(read_integer_column(path_, "counters/0001", "node"), ElementsAre(0, 1));
    EXPECT_THAT(read_integer_column(path_, "counters/0001", "port"), ElementsAre(1, -1));
    EXPECT_THAT(read_text_column(path_, "counters/0001", "device"),
                ElementsAre("mlx5_0", "네트워크"));
    EXPECT_THAT(read_text_column(path_, "counters/0001", "status"), ElementsAre("saturated", "ok"));
    EXPECT_THAT(read_text_column(path_, "series/0001", "name"), ElementsAre("power"));
}

TEST_F(PartTest, a_failed_case_has_its_row_and_no_samples) {
    result_ = test::make_result(CaseStatus::failed);
    write({RankData{}, RankData{}});
    EXPECT_FALSE(exists(path_, "samples"));
    EXPECT_FALSE(exists(path_, "counters"));
    EXPECT_THAT(read_text_column(path_, "cases", "status"), ElementsAre("failed"));
    EXPECT_THAT(read_text_column(path_, "cases", "reason"), ElementsAre("왜냐하면"));
}

TEST_F(PartTest, a_case_may_have_measured_nothing) {
    const FakeSamples none = numbered_samples(0, 0);
    write({{&none}, {&none}});
    EXPECT_THAT(read_integers(path_, "samples/0001/offsets"), ElementsAre(0, 0, 0));
    EXPECT_THAT(read_integers(path_, "samples/0001/start_ns"), IsEmpty());
    EXPECT_THAT(read_integers(path_, "samples/0001/bytes"), IsEmpty());
}

TEST_F(PartTest, the_case_row_has_bookkeeping_first_and_then_every_variable) {
    const FakeSamples samples = numbered_samples(0, 3);
    write({{&samples}});
    EXPECT_THAT(read_integer_column(path_, "cases", "id"), ElementsAre(1));
    EXPECT_THAT(read_text_column(path_, "cases", "name"), ElementsAre("case/1"));
    EXPECT_THAT(read_integer_column(path_, "cases", "samples"), ElementsAre(3));
    EXPECT_THAT(read_integer_column(path_, "cases", "bytes"), ElementsAre(2048));
    EXPECT_THAT(read_text_column(path_, "cases", "operation"), ElementsAre("all_reduce"));
}

TEST_F(PartTest, blocks_may_be_as_many_as_the_samples) {
    const FakeSamples samples = numbered_samples(0, 100'000);
    result_.blocks.resize(100'000);
    for (std::size_t i = 0; i < result_.blocks.size(); ++i)
        result_.blocks[i] = i;
    write({{&samples}});
    const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t attribute =
        H5Aopen_by_name(file, "samples/0001", "blocks", H5P_DEFAULT, H5P_DEFAULT);
    std::vector<std::uint64_t> blocks(100'000);
    EXPECT_GE(H5Aread(attribute, H5T_NATIVE_UINT64, blocks.data()), 0);
    H5Aclose(attribute);
    H5Fclose(file);
    EXPECT_EQ(blocks, result_.blocks);
}

TEST_F(PartTest, the_listener_sees_every_cell_that_is_written) {
    const FakeSamples first = numbered_samples(0, 5);
    const FakeSamples second = numbered_samples(1, 3);
    std::vector<std::vector<Cell>> seen(2);
    std::set<std::size_t> columns;
    const auto listener = [&](int rank, std::size_t column, std::span<const Cell> cells) {
        columns.insert(column);
        if (column == 0) {
            auto& list = seen[static_cast<std::size_t>(rank)];
            list.insert(list.end(), cells.begin(), cells.end());
        }
    };
    write({{&first}, {&second}}, {.block_cells = 8, .shift_ns = 100, .listener = listener});
    EXPECT_THAT(seen[0], ElementsAre(100, 101, 102, 103, 104));
    EXPECT_THAT(seen[1], ElementsAre(1'000'100, 1'000'101, 1'000'102));
    EXPECT_THAT(columns, ElementsAre(0, 2));  // column 1 is the constant one
}

TEST_F(PartTest, is_not_there_before_it_is_whole) {
    const FakeSamples samples = numbered_samples(0, 3);
    bool looked = false;
    const auto listener = [&](int, std::size_t, std::span<const Cell>) {
        looked = true;
        EXPECT_FALSE(std::filesystem::exists(path_));
    };
    write({{&samples}}, {.block_cells = 1, .shift_ns = 0, .listener = listener});
    EXPECT_TRUE(looked);
    EXPECT_THAT(test::list(folder_.path()), ElementsAre("0001.h5"));
}

TEST_F(PartTest, leaves_nothing_when_samples_cannot_be_read) {
    const test::UnreadableSamples samples(3);
    EXPECT_THROW(write({{&samples}}), Error);
    EXPECT_THAT(test::list(folder_.path()), IsEmpty());
}

TEST_F(PartTest, h5dump_reads_it) {
    const FakeSamples samples = numbered_samples(0, 3);
    write({{&samples}});
    if (std::system("command -v h5dump > /dev/null") != 0) GTEST_SKIP() << "h5dump is missing";
    const std::string dump = test::run_command("h5dump '" + path_.native() + "'");
    EXPECT_THAT(dump, HasSubstr("4096, 4096, 4096"));
    EXPECT_THAT(dump, HasSubstr("\"case/1"));
}

TEST_F(PartTest, h5py_reads_it) {
    const FakeSamples samples = numbered_samples(0, 3);
    write({{&samples}});
    if (!std::filesystem::exists(RAILGAUGE_PYTHON)) GTEST_SKIP() << "the venv is missing";
    test::write_file(folder_.path() / "read.py",
                     "import h5py, sys\n"
                     "f = h5py.File(sys.argv[1])\n"
                     "g = f['samples/0001']\n"
                     "print(f.attrs['schema'].decode(), f['cases']['name'][0].decode(),\n"
                     "      g['start_ns'][:].tolist(), g['bytes'][:].tolist(),\n"
                     "      g['bytes'].attrs['unit'].decode(), g.attrs['blocks'].tolist())\n");
    EXPECT_EQ(test::run_command("'" RAILGAUGE_PYTHON "' '" + (folder_.path() / "read.py").native() +
                                "' '" + path_.native() + "'"),
              "railgauge/1 case/1 [0, 1, 2] [4096, 4096, 4096] B [0, 2]\n");
}

}  // namespace
}  // namespace railgauge
