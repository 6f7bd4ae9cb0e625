// SPDX-License-Identifier: Apache-2.0
#include "site/site_file.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "site/parse.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SiteFileTest : public testing::Test {
  protected:
    SiteFileTest() {
        std::string name = fs::temp_directory_path() / "site-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        folder_ = name;
    }
    ~SiteFileTest() override { fs::remove_all(folder_); }

    fs::path write(const std::string& text) const {
        fs::path path = folder_ / "서울.toml";
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }

    static std::string refusal(const fs::path& path) {
        try {
            read_site_text(path);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            return error.what();
        }
        return "it was read";
    }

    fs::path folder_;
};

TEST_F(SiteFileTest, gives_the_text_of_a_file_with_a_korean_name) {
    EXPECT_EQ(read_site_text(write("이름\n")), "이름\n");
    EXPECT_EQ(read_site_text(write("")), "");
}

TEST_F(SiteFileTest, refuses_what_is_missing_or_no_file_and_does_not_wait_for_it) {
    EXPECT_THAT(refusal(folder_ / "none"), HasSubstr("No such file"));
    EXPECT_THAT(refusal(folder_), HasSubstr("no regular file"));
    EXPECT_THAT(refusal("/dev/zero"), HasSubstr("no regular file"));
    const fs::path pipe = folder_ / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THAT(refusal(pipe), HasSubstr("no regular file"));
}

TEST_F(SiteFileTest, reads_no_more_of_a_huge_file_than_shows_that_it_is_too_large) {
    const fs::path path = write("");
    fs::resize_file(path, std::uintmax_t{1} << 40);  // sparse
    const std::string text = read_site_text(path);
    EXPECT_LT(text.size(), std::size_t{2} << 20);
    EXPECT_THAT(read_site(text, "x").mistakes.at(0), HasSubstr("the file is too large"));
}

}  // namespace
}  // namespace railgauge
