// SPDX-License-Identifier: Apache-2.0
#include "measure/sample_sink.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::uint64_t rows_per_block = (std::uint64_t{128} << 10) / 2;  // of two columns

const std::vector<SampleColumn> columns{{"start_ns", "ns", CellType::i64, {}},
                                        {"bytes", "B", CellType::u64, Cell{4096}},
                                        {"elapsed_ns", "ns", CellType::i64, {}}};

class SampleSinkTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "railgauge-sink-XXXXXX").native();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    static void add(SampleSink& sink, std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t row = first; row < last; ++row) {
            sink.add(std::array<Cell, 2>{row, 7 * row});
        }
    }

    static std::vector<Cell> copy(const SampleSink& sink, std::size_t column, std::uint64_t first,
                                  std::size_t count) {
        std::vector<Cell> cells(count);
        sink.copy(column, first, cells);
        return cells;
    }

    fs::path folder_;
};

TEST_F(SampleSinkTest, gives_rows_back_in_the_order_they_were_added) {
    SampleSink sink(folder_, columns);
    add(sink, 0, 5);
    EXPECT_EQ(sink.rows(), 5U);
    EXPECT_THAT(copy(sink, 0, 0, 5), ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(copy(sink, 2, 2, 3), ElementsAre(14, 21, 28));
}

TEST_F(SampleSinkTest, gives_back_any_stretch_across_spooled_blocks) {
    constexpr std::uint64_t rows = 3 * rows_per_block + 11;
    SampleSink sink(folder_, columns);
    add(sink, 0, rows);
    EXPECT_EQ(sink.rows(), rows);
    for (const std::uint64_t first :
         {std::uint64_t{0}, rows_per_block - 1, rows_per_block, 2 * rows_per_block + 5}) {
        const auto cells = copy(sink, 2, first, rows - first);
        for (std::uint64_t i = 0; i < cells.size(); ++i)
            ASSERT_EQ(cells[i], 7 * (first + i));
    }
}

TEST_F(SampleSinkTest, a_last_block_that_is_just_full_is_not_lost) {
    SampleSink sink(folder_, columns);
    add(sink, 0, rows_per_block);
    EXPECT_THAT(copy(sink, 0, rows_per_block - 1, 1), ElementsAre(rows_per_block - 1));
    add(sink, rows_per_block, rows_per_block + 1);
    EXPECT_THAT(copy(sink, 0, rows_per_block - 1, 2),
                ElementsAre(rows_per_block - 1, rows_per_block));
}

std::uint64_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t all = 0;
    std::uint64_t pages = 0;
    file >> all >> pages;
    return pages * 4096;
}

TEST_F(SampleSinkTest, memory_does_not_grow_with_the_samples) {
    SampleSink sink(folder_, columns);
    add(sink, 0, rows_per_block + 1);
    const std::uint64_t before = resident_bytes();
    add(sink, rows_per_block + 1, 64 * rows_per_block);  // 64 MiB of samples
    EXPECT_LT(resident_bytes(), before + (std::uint64_t{16} << 20));
}

TEST_F(SampleSinkTest, the_spool_has_no_name) {
    SampleSink sink(folder_, columns);
    add(sink, 0, 2 * rows_per_block);
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(SampleSinkTest, a_case_of_few_samples_needs_no_folder) {
    SampleSink sink(folder_ / "missing", columns);
    add(sink, 0, rows_per_block);
    EXPECT_EQ(sink.rows(), rows_per_block);
    EXPECT_THAT([&] { add(sink, 0, 1); }, ThrowsMessage<Error>(HasSubstr("missing")));
}

TEST_F(SampleSinkTest, refuses_a_row_of_another_width) {
    SampleSink sink(folder_, columns);
    EXPECT_THROW(sink.add(std::array<Cell, 3>{}), std::logic_error);
    EXPECT_EQ(sink.rows(), 0U);
}

TEST_F(SampleSinkTest, rows_of_constants_alone_are_counted) {
    SampleSink sink(folder_, {{"bytes", "B", CellType::u64, Cell{1}}});
    for (int i = 0; i < 300'000; ++i)
        sink.add({});
    EXPECT_EQ(sink.rows(), 300'000U);
}

/// A disk of 4 MiB over the test's folder.
class FullDiskTest : public SampleSinkTest {
  protected:
    void SetUp() override {
        SampleSinkTest::SetUp();
        if (::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=4m") != 0) {
            GTEST_SKIP() << "no tmpfs can be mounted";
        }
        mounted_ = true;
    }
    void TearDown() override {
        if (mounted_) ::umount(folder_.c_str());
        SampleSinkTest::TearDown();
    }

    bool mounted_ = false;
};

TEST_F(FullDiskTest, is_named_and_the_samples_until_then_are_kept) {
    SampleSink sink(folder_, columns);
    EXPECT_THAT([&] { add(sink, 0, 100 * rows_per_block); },
                ThrowsMessage<Error>(HasSubstr("No space left on device")));
    const std::uint64_t rows = sink.rows();
    EXPECT_GE(rows, 4 * rows_per_block);
    const auto cells = copy(sink, 0, 0, rows);
    for (std::uint64_t i = 0; i < rows; ++i)
        ASSERT_EQ(cells[i], i);
    EXPECT_THROW(add(sink, 0, 1), Error);
    EXPECT_EQ(sink.rows(), rows);
}

}  // namespace
}  // namespace railgauge
