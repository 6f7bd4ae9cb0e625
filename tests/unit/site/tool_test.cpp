// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "support.hpp"

namespace railgauge {
namespace {

struct Answer {
    int exit_code;
    std::string output;
};

/// One word to the shell, spaces or not.
std::string quoted(const std::string& path) {
    return "'" + path + "'";
}

/// Runs railgauge-site by the shell. @param arguments may redirect
Answer run_tool(const std::string& arguments) {
    FILE* pipe = ::popen(("'" RAILGAUGE_SITE_TOOL "' " + arguments).c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("no shell");
    std::string output;
    std::array<char, 4096> block{};
    while (const std::size_t bytes = std::fread(block.data(), 1, block.size(), pipe))
        output.append(block.data(), bytes);
    return {WEXITSTATUS(::pclose(pipe)), output};
}

TEST(SiteToolTest, prints_the_json_of_a_valid_file_alone_on_stdout) {
    for (const auto& file : example_sites()) {
        const Answer answer = run_tool(quoted(file.native()));
        EXPECT_EQ(answer.exit_code, 0);
        EXPECT_TRUE(nlohmann::json::accept(answer.output)) << answer.output;
    }
}

TEST(SiteToolTest, names_every_mistake_on_a_line_of_stderr_and_ends_with_2) {
    const Answer both = run_tool("/dev/stdin 2>&1 < '" RAILGAUGE_SOURCE_DIR "/CMakeLists.txt'");
    EXPECT_EQ(both.exit_code, 2);
    EXPECT_THAT(both.output, testing::StartsWith("/dev/stdin:"));
    EXPECT_THAT(both.output, testing::EndsWith("\n"));
    const Answer out = run_tool("'" RAILGAUGE_SOURCE_DIR "/CMakeLists.txt' 2>/dev/null");
    EXPECT_EQ(out.output, "");
}

TEST(SiteToolTest, ends_with_2_without_a_file_and_says_why) {
    for (const char* arguments : {"", "none.toml", "/", "a b c", "--version"}) {
        const Answer answer = run_tool(std::string(arguments) + " 2>&1");
        EXPECT_EQ(answer.exit_code, 2) << arguments;
        EXPECT_EQ(std::count(answer.output.begin(), answer.output.end(), '\n'), 1) << answer.output;
    }
}

TEST(SiteToolTest, fails_when_stdout_takes_nothing) {
    EXPECT_EQ(
        run_tool(quoted(example_sites().front().native()) + " >/dev/full 2>/dev/null").exit_code,
        6);
}

}  // namespace
}  // namespace railgauge
