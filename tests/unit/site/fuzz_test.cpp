// SPDX-License-Identifier: Apache-2.0
// Site files come from people and from elsewhere: whatever is in one, there is a site or a mistake.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "site/parse.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

/// RAILGAUGE_FUZZ_MUTANTS for the long form.
int mutants() {
    const char* chosen = std::getenv("RAILGAUGE_FUZZ_MUTANTS");
    return chosen != nullptr ? std::atoi(chosen) : 5'000;
}
constexpr unsigned seed = 20260731;

/// What breaks parsers: brackets, quotes, keys of the format in the wrong place, extreme values.
constexpr std::array<std::string_view, 48> tokens = {"[",
                                                     "]",
                                                     "[[",
                                                     "]]",
                                                     "{",
                                                     "}",
                                                     "=",
                                                     ",",
                                                     ".",
                                                     "\"",
                                                     "'",
                                                     "\"\"\"",
                                                     "'''",
                                                     "\\",
                                                     "#",
                                                     "\n",
                                                     "\r\n",
                                                     "\t",
                                                     "-",
                                                     "+",
                                                     "0",
                                                     "1",
                                                     "-1",
                                                     "1e999",
                                                     "nan",
                                                     "inf",
                                                     "9223372036854775807",
                                                     "99999999999999999999",
                                                     "0x7f",
                                                     "true",
                                                     "1979-05-27T07:32:00Z",
                                                     "[]",
                                                     "{}",
                                                     "a.a.a.a.a.a.a",
                                                     "[0-99999]",
                                                     "[1-2][1-2]",
                                                     "\xef\xbb\xbf",
                                                     "\xed\xa0\x80",
                                                     "\xff",
                                                     "서울",
                                                     "\\u0000",
                                                     "\\U0010ffff",
                                                     "[[rails]]\n",
                                                     "[[groups]]\n",
                                                     "plane = \"A\"\n",
                                                     "rail = 0\n",
                                                     "shared",
                                                     "index"};

class Mutator {
  public:
    std::string mutate(std::string text) {
        for (std::size_t edits = 1 + below(4); edits > 0; --edits)
            edit(text);
        return text;
    }

  private:
    std::size_t below(std::size_t end) {
        return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
    }

    /// A piece of `text` and where it begins: bytes, or whole lines.
    std::pair<std::size_t, std::size_t> piece(const std::string& text) {
        std::size_t begin = below(text.size() + 1);
        std::size_t end = std::min(text.size(), begin + 1 + below(12));
        if (below(2) == 0) {
            begin = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;  // npos + 1 = 0
            end = std::min(text.size(), text.find('\n', begin)) + (begin < text.size() ? 1 : 0);
        }
        return {begin, std::min(end, text.size()) - begin};
    }

    void edit(std::string& text) {
        const auto [begin, length] = piece(text);
        switch (below(6)) {
            case 0: text.erase(begin, length); break;
            case 1: text.insert(below(text.size() + 1), text.substr(begin, length)); break;
            case 2: text.insert(begin, tokens[below(tokens.size())]); break;
            case 3: text.replace(begin, length, tokens[below(tokens.size())]); break;
            case 4:
                if (begin < text.size()) text[begin] = static_cast<char>(below(256));
                break;
            default: text.resize(begin);
        }
    }

    std::mt19937 random_{seed};
};

void expect_right(const Site& site) {
    ASSERT_FALSE(site.hosts.empty());
    const std::string& host = site.hosts.back().name;
    ASSERT_NE(site.group_of(host), nullptr);
    for (std::size_t i = 0; i < site.rails.size(); ++i) {
        const int rail = static_cast<int>(i);
        EXPECT_EQ(site.rails[i].index, rail);
        EXPECT_NE(site.plane_of(rail), nullptr);
        site.leaf_of(host, rail);
        EXPECT_EQ(site.rate_gbit_per_s(host, rail).has_value(),
                  site.port_of(host, rail) != nullptr);
    }
    EXPECT_TRUE(nlohmann::json::accept(site_json(site)));
}

void expect_told(const std::string& text, const std::string& first_mistake) {
    EXPECT_EQ(first_mistake.find_first_of("\n\r\x1b"), std::string::npos);
    EXPECT_EQ(utf8_prefix_bytes(first_mistake), first_mistake.size());
    EXPECT_THAT(first_mistake, testing::StartsWith("site.toml:"));
    try {
        parse_site(text, "site.toml");
        ADD_FAILURE() << "there is a mistake, but a site, too";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::StartsWith(first_mistake));
    }
}

TEST(SiteFuzzTest, every_mutated_file_gives_a_site_or_a_line_that_says_what_is_wrong) {
    std::vector<std::string> originals{valid_site()};
    for (const auto& file : example_sites())
        originals.push_back(read_file(file));
    Mutator mutator;
    int sites = 0;
    for (int i = 0; i < mutants() && !testing::Test::HasFailure(); ++i) {
        const auto original = static_cast<std::size_t>(i) % originals.size();
        const std::string text = mutator.mutate(originals[original]);
        SCOPED_TRACE(testing::Message() << "mutant " << i << ":\n" << text);
        const SiteReading reading = read_site(text, "site.toml");
        ASSERT_NE(reading.site.has_value(), !reading.mistakes.empty());
        if (reading.site) {
            ++sites;
            expect_right(*reading.site);
        } else {
            expect_told(text, reading.mistakes.front());
        }
    }
    // Mutants that are all refused by the first check would show nothing of the later ones.
    EXPECT_GT(sites, mutants() / 50);
    EXPECT_LT(sites, mutants() - mutants() / 50);
}

/// `count` times `text`.
std::string times(std::size_t count, std::string_view text) {
    std::string result;
    while (count-- > 0)
        result += text;
    return result;
}

TEST(SiteFuzzTest, files_made_to_exhaust_stack_memory_or_time_are_refused) {
    const std::string dots = times(100'000, "a.");
    for (const std::string& text : {
             dots + "a = 1",
             "[" + dots + "a]",
             "x = \"\"\"a\"\"\"\"\ny = [\"\"\"\"\"\"\"\"\", {" + dots + "a = 1}]",
             "x = {" + times(100'000, "'a' . ") + "a = 1}",
             times(100'000, "["),
             "x = " + times(100'000, "["),
             "x = " + times(100'000, "{a="),
             times(50'000, "[[a]]\n"),
             times(40'000, "[[planes]]\nname = 1\n"),
             valid_site() + "[[groups]]\nname='x'\nhosts=[" + times(40'000, "'x[1-90000]',") + "]",
             valid_site() + "[[leaves]]\nname='x'\nnodes=[" + times(40'000, "'x[1-900000]',") + "]",
             valid_site() + "[[groups]]\nname='x'\nhosts=['" + times(60'000, "[1-9]") + "']",
             std::string("a = '") + times(1'000'000, "x"),
             times(1'000'000, "#"),
         }) {
        const SiteReading reading = read_site(text, "site.toml");
        EXPECT_FALSE(reading.site.has_value());
        EXPECT_FALSE(reading.mistakes.empty());
    }
}

}  // namespace
}  // namespace railgauge
