// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "site/parse.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

std::string documentation() {
    return read_file(std::filesystem::path(RAILGAUGE_SOURCE_DIR) / "docs" / "site-file.md");
}

/// The indented block of the documentation that begins with `first_line`.
std::string block(const std::string& first_line) {
    std::istringstream lines(documentation());
    std::string text;
    bool is_inside = false;
    for (std::string line; std::getline(lines, line);) {
        is_inside = is_inside || line == "    " + first_line;
        if (!is_inside) continue;
        if (!line.empty() && !line.starts_with("    ")) break;
        text += line + "\n";
    }
    return text;
}

std::set<std::string> keys_in(const nlohmann::json& json) {
    std::set<std::string> keys;
    for (const auto& [key, value] : json.items()) {
        if (json.is_object()) keys.insert(key);
        if (value.is_structured()) keys.merge(keys_in(value));
    }
    return keys;
}

TEST(SiteExamplesTest, have_no_mistakes) {
    const auto files = example_sites();
    EXPECT_GE(files.size(), 3u);
    for (const auto& file : files) {
        EXPECT_THAT(read_site(read_file(file), file.native()).mistakes, testing::IsEmpty());
    }
}

TEST(SiteExamplesTest, the_virtual_cluster_has_12_nodes_on_4_rails_of_100_mbit_per_s) {
    for (const auto& file : example_sites()) {
        if (file.filename() != "virtual-cluster.toml") continue;
        const Site site = parse_site(read_file(file), file.native());
        EXPECT_EQ(site.hosts.size(), 12u);
        ASSERT_EQ(site.rails.size(), 4u);
        EXPECT_DOUBLE_EQ(site.rate_gbit_per_s("n11", 3).value_or(0), 0.1);
        EXPECT_EQ(site.rail_of_device("n0", "rail2"), 2);
        return;
    }
    FAIL() << "the example is missing";
}

TEST(SiteDocumentationTest, shows_a_file_without_mistakes) {
    EXPECT_THAT(read_site(block("format = 1"), "docs").mistakes, testing::IsEmpty());
}

TEST(SiteDocumentationTest, lists_every_key) {
    const Site site = parse_site(block("format = 1"), "docs");
    const std::string text = documentation();
    for (const std::string& key : keys_in(nlohmann::json::parse(site_json(site)))) {
        EXPECT_THAT(text, testing::HasSubstr("\n| `" + key + "` |")) << key;
    }
}

}  // namespace
}  // namespace railgauge
