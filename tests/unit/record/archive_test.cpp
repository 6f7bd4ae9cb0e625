// SPDX-License-Identifier: Apache-2.0
#include "record/archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/output_file.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

using testing::ElementsAre;

class ArchiveTest : public testing::Test {
  protected:
    ArchiveTest() { std::filesystem::create_directory(archive_); }

    void put(const std::string& name, const std::string& content = "x") {
        test::write_file(archive_ / name, content);
    }

    void write() {
        OutputFile run(run_);
        write_archive(run.id(), archive_);
        run.commit();
    }

    bool has(const std::string& name) const { return test::exists(run_, "archive/" + name); }

    test::TemporaryFolder folder_;
    std::filesystem::path run_ = folder_.path() / "run";
    std::filesystem::path archive_ = folder_.path() / "archive";
};

TEST_F(ArchiveTest, every_file_becomes_a_text_of_the_run) {
    put("a.xml", "<a>\n\xff</a>");
    put("empty", "");
    write();
    EXPECT_EQ(test::read_text(run_, "archive/a.xml"), "<a>\n\xff</a>");
    EXPECT_EQ(test::read_text(run_, "archive/empty"), "");
    remove_archive(archive_);
    EXPECT_FALSE(std::filesystem::exists(archive_));
}

TEST_F(ArchiveTest, a_run_without_such_files_has_no_group_of_them) {
    write();
    EXPECT_FALSE(test::exists(run_, "archive"));
    std::filesystem::remove(archive_);
    write();
    EXPECT_FALSE(test::exists(run_, "archive"));
    EXPECT_NO_THROW(remove_archive(archive_));
}

TEST_F(ArchiveTest, links_folders_and_odd_names_stay_where_they_are) {
    for (const char* name : {"ok.xml", "has space", ".hidden", "한글"})
        put(name);
    std::filesystem::create_symlink("/etc/hostname", archive_ / "link");
    std::filesystem::create_directory(archive_ / "folder");
    write();
    EXPECT_TRUE(has("ok.xml"));
    for (const char* name : {"has space", ".hidden", "한글", "link", "folder"})
        EXPECT_FALSE(has(name)) << name;
    remove_archive(archive_);
    EXPECT_THAT(test::list(archive_),
                ElementsAre(".hidden", "folder", "has space", "link", "한글"));
}

TEST_F(ArchiveTest, what_is_too_large_or_too_many_stays_where_it_is) {
    put("aa-large");
    std::filesystem::resize_file(archive_ / "aa-large", most_archive_bytes + 1);
    put("ab-largest");
    std::filesystem::resize_file(archive_ / "ab-largest", most_archive_bytes);
    for (std::size_t i = 0; i < most_archive_files; ++i)
        put("b" + std::to_string(100 + i));
    write();
    EXPECT_FALSE(has("aa-large"));
    EXPECT_TRUE(has("ab-largest"));
    EXPECT_TRUE(has("b114"));
    EXPECT_FALSE(has("b115"));
    remove_archive(archive_);
    EXPECT_THAT(test::list(archive_), ElementsAre("aa-large", "b115"));
}

TEST_F(ArchiveTest, a_link_in_place_of_the_folder_is_not_followed) {
    put("a.xml");
    const std::filesystem::path link = folder_.path() / "link";
    std::filesystem::create_directory_symlink(archive_, link);
    remove_archive(link);
    EXPECT_THAT(test::list(archive_), ElementsAre("a.xml"));
}

}  // namespace
}  // namespace railgauge
