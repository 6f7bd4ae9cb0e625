// SPDX-License-Identifier: Apache-2.0
#include "base/replace_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace railgauge {
namespace {

namespace fs = std::filesystem;

class ReplaceFileTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "replace file XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    static std::string text_of(const fs::path& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    fs::path folder_;
};

TEST_F(ReplaceFileTest, leaves_the_new_text_and_nothing_else) {
    const fs::path path = folder_ / "파일";
    std::ofstream(path) << "an older, longer text";
    std::ofstream(path.string() + ".tmp") << "of a killed process";
    ASSERT_TRUE(replace_file(path, "new", 0600));
    EXPECT_EQ(text_of(path), "new");
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(ReplaceFileTest, tells_why_it_could_not) {
    EXPECT_FALSE(replace_file(folder_ / "missing" / "file", "new", 0600));
    EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace railgauge
