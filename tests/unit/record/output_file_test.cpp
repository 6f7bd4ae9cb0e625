// SPDX-License-Identifier: Apache-2.0
#include "record/output_file.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "record/values.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

constexpr std::uint64_t disk_bytes = 1 << 20;

TEST(OutputFileTest, appears_only_when_committed) {
    const test::TemporaryFolder folder;
    OutputFile file(folder.path() / "파일.h5");
    EXPECT_THAT(test::list(folder.path()), ElementsAre("파일.h5.tmp"));
    file.commit();
    EXPECT_THAT(test::list(folder.path()), ElementsAre("파일.h5"));
}

TEST(OutputFileTest, an_abandoned_file_leaves_nothing_and_the_old_one_in_place) {
    const test::TemporaryFolder folder;
    test::write_file(folder.path() / "run.h5", "old");
    {
        OutputFile file(folder.path() / "run.h5");
        hdf5::write_text(file.id(), "text", "new");
    }
    EXPECT_THAT(test::list(folder.path()), ElementsAre("run.h5"));
    EXPECT_EQ(test::read_file(folder.path() / "run.h5"), "old");
}

TEST(OutputFileTest, names_a_folder_that_is_missing) {
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "nowhere" / "run.h5";
    EXPECT_THAT([&] { OutputFile file(path); },
                ThrowsMessage<Error>(AllOf(HasSubstr(path.native()), HasSubstr("No such file"))));
}

TEST(OutputFileTest, starts_as_a_copy_of_another) {
    const test::TemporaryFolder folder;
    {
        OutputFile original(folder.path() / "a.h5");
        hdf5::write_attribute(original.id(), "kept", std::string_view("yes"));
        original.commit();
    }
    OutputFile copy(folder.path() / "b.h5", folder.path() / "a.h5");
    hdf5::write_attribute(copy.id(), "added", std::string_view("too"));
    copy.commit();
    EXPECT_EQ(test::read_attribute(folder.path() / "b.h5", "/", "kept"), "yes");
    EXPECT_EQ(test::read_attribute(folder.path() / "b.h5", "/", "added"), "too");
    EXPECT_EQ(test::read_attribute(folder.path() / "a.h5", "/", "added"), "(none)");
}

TEST(OutputFileTest, a_copy_of_what_is_no_hdf5_leaves_nothing) {
    const test::TemporaryFolder folder;
    test::write_file(folder.path() / "a.h5", "no HDF5");
    EXPECT_THROW(OutputFile(folder.path() / "b.h5", folder.path() / "a.h5"), Error);
    EXPECT_THAT(test::list(folder.path()), ElementsAre("a.h5"));
}

/// Fills the disk with datasets HDF5 writes itself; then the next file must be fine.
void fill_disk_by_tables(const std::filesystem::path& folder) {
    const std::vector<std::uint64_t> values(10'000);
    OutputFile file(folder / "run.h5");
    for (int i = 0; i < 1000; ++i) {
        hdf5::write_vector(file.id(), std::to_string(i).c_str(), values);
    }
    file.commit();
}

TEST(OutputFileTest, a_disk_that_fills_up_under_tables_costs_this_file_alone) {
    const test::SmallDisk disk(disk_bytes);
    if (!disk.is_mounted()) GTEST_SKIP() << "no tmpfs can be mounted";
    for (int attempt = 0; attempt < 3; ++attempt) {
        EXPECT_THAT([&] { fill_disk_by_tables(disk.path()); },
                    ThrowsMessage<Error>(HasSubstr("No space left on device")));
        EXPECT_THAT(test::list(disk.path()), IsEmpty());
    }
    OutputFile small(disk.path() / "small.h5");
    small.commit();
    EXPECT_THAT(test::list(disk.path()), ElementsAre("small.h5"));
}

TEST(OutputFileTest, a_disk_that_fills_up_under_raw_cells_costs_this_file_alone) {
    const test::SmallDisk disk(disk_bytes);
    if (!disk.is_mounted()) GTEST_SKIP() << "no tmpfs can be mounted";
    std::vector<char> cells(2 * disk_bytes);
    const auto write_all = [&] {
        OutputFile file(disk.path() / "run.h5");
        std::array<iovec, 2> pieces{{{cells.data(), disk_bytes / 2}, {cells.data(), disk_bytes}}};
        file.write_raw(4096, pieces);
    };
    EXPECT_THAT(write_all, ThrowsMessage<Error>(AllOf(HasSubstr("No space left on device"),
                                                      HasSubstr("free space"))));
    EXPECT_THAT(test::list(disk.path()), IsEmpty());
}

TEST(OutputFileTest, a_disk_without_any_space_is_reported_at_every_amount_of_it) {
    const test::SmallDisk disk(disk_bytes);
    if (!disk.is_mounted()) GTEST_SKIP() << "no tmpfs can be mounted";
    for (std::uint64_t pages = 0; pages < 4; ++pages) {
        disk.fill(pages * 4096);
        EXPECT_THROW(fill_disk_by_tables(disk.path()), Error) << pages;
        EXPECT_THAT(test::list(disk.path()), ElementsAre("filler")) << pages;
        std::filesystem::remove(disk.path() / "filler");
    }
}

/// The tables fit into HDF5's cache and no longer onto the disk: closing has to write and cannot.
void fill_disk_before_tables(const test::SmallDisk& disk) {
    OutputFile file(disk.path() / "run.h5");
    disk.fill(0);
    for (int i = 0; i < 50; ++i) {
        const hdf5::Group group = hdf5::create_group(file.id(), std::to_string(i));
        hdf5::write_attribute(group.get(), "text", std::string(10'000, 'x'));
    }
    file.commit();
}

TEST(OutputFileTest, a_disk_that_is_full_at_the_end_costs_this_file_alone) {
    const test::SmallDisk disk(disk_bytes);
    if (!disk.is_mounted()) GTEST_SKIP() << "no tmpfs can be mounted";
    EXPECT_THAT([&] { fill_disk_before_tables(disk); },
                ThrowsMessage<Error>(HasSubstr("No space left on device")));
    EXPECT_THAT(test::list(disk.path()), ElementsAre("filler"));
}

TEST(OutputFileDeathTest, the_process_ends_in_order_after_a_full_disk) {
    const test::SmallDisk disk(disk_bytes);
    if (!disk.is_mounted()) GTEST_SKIP() << "no tmpfs can be mounted";
    // HDF5 closes once more, at exit, what it could not close: there it crashed.
    const auto fill_and_exit = [&] {
        EXPECT_THROW(fill_disk_before_tables(disk), Error);
        std::exit(testing::Test::HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(fill_and_exit(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace railgauge
