// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "site/parse.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

/// One change of the valid site, and the one mistake that it makes.
struct Slip {
    const char* name;
    const char* from;
    const char* to;
    const char* start;    ///< behind "site.toml:"
    const char* problem;  ///< as docs/site-file.md lists it
};

std::ostream& operator<<(std::ostream& out, const Slip& slip) {
    return out << slip.name;
}

class SiteMistakeTest : public testing::TestWithParam<Slip> {};

TEST_P(SiteMistakeTest, is_named_once_with_its_line_key_reason_and_remedy) {
    const Slip& slip = GetParam();
    const SiteReading reading = read_site(changed_site(slip.from, slip.to), "site.toml");
    ASSERT_THAT(reading.mistakes, SizeIs(1));
    EXPECT_FALSE(reading.site.has_value());
    EXPECT_THAT(reading.mistakes[0], StartsWith(fmt::format("site.toml:{}: ", slip.start)));
    EXPECT_THAT(reading.mistakes[0], HasSubstr(slip.problem));
    EXPECT_THAT(reading.mistakes[0], testing::MatchesRegex(".+ \\(.+\\); .+"));
}

constexpr Slip slips[] = {
    {"no_toml", "name = \"서울 2\"", "name = ", "2", "this is no TOML"},
    {"toml_key_twice", "gpus = 8", "gpus = 8\ngpus = 8", "20", "this is no TOML"},
    {"deep_key", "gpus = 8", "a.a.a.a.a.a.a.a.a.a = 8", "19", "a key has too many dots"},
    {"no_utf8", "rail 1", "rail \xff", "7", "is no UTF-8 text"},
    {"c1_control", "rail 1", "rail \xc2\x9b", "7", "is no UTF-8 text"},
    {"newer_format", "format = 1", "format = 2\nfuture = 1", "1: format", "format 2 is not known"},
    {"format_zero", "format = 1", "format = 0", "1: format", "0 is out of range"},
    {"format_missing", "format = 1", "", "1: format", "it is missing"},
    {"unknown_key", "gpus = 8", "gups = 8", "19: groups[0]", "unknown key 'gups'"},
    {"unknown_key_of_port", "netdev =", "nedev =", "21: groups[0].ports[0]", "unknown key 'nedev'"},
    {"unknown_table", "[[leaves]]", "[[leafs]]\nname = \"a\"\n[[leaves]]", "31",
     "unknown key 'leafs'"},
    {"name_is_number", "name = \"서울 2\"", "name = 2", "2: name", "it is a whole number"},
    {"name_is_empty", "\"서울 2\"", "\"\"", "2: name", "'' cannot be a name"},
    {"name_has_blanks", "\"rail 1\"", "\"rail 1 \"", "7: rails[0].name", "cannot be a name"},
    {"name_has_control", "\"rail 1\"", "\"rail\\n1\"", "7: rails[0].name", "cannot be a name"},
    {"planes_is_text", "[{name = \"A\"}, {name = \"B\"}]", "\"A\"", "4: planes", "it is a text"},
    {"planes_is_empty", "[{name = \"A\"}, {name = \"B\"}]", "[]", "4: planes", "the list is empty"},
    {"plane_is_text", "{name = \"B\"}", "\"B\"", "4: planes[1]", "it is a text"},
    {"plane_twice", "{name = \"B\"}", "{name = \"A\"}", "4: planes[1].name", "'A' appears twice"},
    {"rail_twice", "\"rail 0\"", "\"rail 1\"", "12: rails[1].name", "'rail 1' appears twice"},
    {"rail_index_twice", "index = 1", "index = 0", "11: rails[1].index", "'0' appears twice"},
    {"rail_gap", "index = 1", "index = 7", "6: rails[0].index", "rail index 7 leaves a gap"},
    {"rail_index_negative", "index = 1", "index = -1", "6: rails[0].index", "-1 is out of range"},
    {"rail_index_fraction", "index = 1", "index = 1.0", "6: rails[0].index",
     "it is a number with a fraction"},
    {"rail_index_missing", "index = 1\n", "", "5: rails[0].index", "it is missing"},
    {"no_such_plane", "plane = \"B\"", "plane = \"b\"", "8: rails[0].plane",
     "there is no plane 'b'"},
    {"rate_zero", "= 200", "= 0", "9: rails[0].rate_gbit_per_s", "0 is out of range"},
    {"rate_huge", "= 200", "= 400e9", "9: rails[0].rate_gbit_per_s", "out of range"},
    {"rate_of_64_bits", "= 200", "= 9223372036854775807", "9: rails[0].rate_gbit_per_s",
     "out of range"},
    {"rate_infinite", "= 200", "= inf", "9: rails[0].rate_gbit_per_s", "inf is out of range"},
    {"rate_nan", "= 200", "= nan", "9: rails[0].rate_gbit_per_s", "nan is out of range"},
    {"rate_text", "= 200", "= \"200\"", "9: rails[0].rate_gbit_per_s", "it is a text"},
    {"rate_date", "= 200", "= 2026-01-01", "9: rails[0].rate_gbit_per_s", "it is a date or time"},
    {"mtu_small", "= 9000", "= 68", "15: rails[1].mtu_bytes", "68 is out of range"},
    {"gpus_beyond_64_bits", "gpus = 8", "gpus = 99999999999999999999", "19", "this is no TOML"},
    {"gpus_beyond_32_bits", "gpus = 8", "gpus = 9999999999", "19: groups[0].gpus", "out of range"},
    {"gpus_true", "gpus = 8", "gpus = true", "19: groups[0].gpus", "it is true or false"},
    {"hosts_is_text", "hosts = [\"compute1\"]", "hosts = \"compute1\"", "30: groups[2].hosts",
     "it is a text"},
    {"host_is_number", "\"compute1\"", "1", "30: groups[2].hosts[0]", "it is a whole number"},
    {"host_is_no_host", "\"compute1\"", "\"com pute1\"", "30: groups[2].hosts[0]",
     "'com pute1' names no hosts"},
    {"hosts_explode", "\"compute1\"", "\"c[1-99999]\"", "30: groups[2].hosts[0]",
     "more hosts than the 99993 that are left"},
    {"host_twice", "\"compute1\"", "\"compute1\", \"COMPUTE1\"", "30: groups[2].hosts[1]",
     "host 'COMPUTE1' is listed again"},
    {"host_in_two_groups", "\"compute1\"", "\"gpu03.x\"", "30: groups[2].hosts[0]",
     "host 'gpu03.x' is listed again"},
    {"hosts_overlap", "\"compute1\"", "\"gpu[03-06]\"", "30: groups[2].hosts[0]",
     "host 'gpu03' and 1 more are listed again"},
    {"group_twice", "\"compute\"", "\"gpu\"", "29: groups[2].name", "'gpu' appears twice"},
    {"no_such_rail", "{rail = 1,", "{rail = 4,", "22: groups[0].ports[1].rail",
     "there is no rail 4"},
    {"rail_on_two_ports", "{rail = 1,", "{rail = 0,", "22: groups[0].ports[1].rail",
     "'0' appears twice"},
    {"device_on_two_ports", "\"mlx5_4\"", "\"rdma0\"", "22: groups[0].ports[1].rdma",
     "'rdma0' appears twice"},
    {"rail_and_plane", "{plane =", "{rail = 1, plane =", "27: groups[1].ports[0]",
     "either a rail or a plane"},
    {"neither_rail_nor_plane", "{rail = 1, rdma", "{rdma", "22: groups[0].ports[1]",
     "either a rail or a plane"},
    {"rate_missing_off_rails", ", rate_gbit_per_s = 50.5", "",
     "27: groups[1].ports[0].rate_gbit_per_s", "it is missing"},
    {"no_device", "rdma = \"mlx5_4\", ", "", "22: groups[0].ports[1]", "a port has no device"},
    {"device_with_slash", "mlx5_4", "mlx5/4", "22: groups[0].ports[1].rdma",
     "cannot be the name of an RDMA device"},
    {"interface_too_long", "\"rdma0\"}", "\"rdma012345678901\"}", "21: groups[0].ports[0].netdev",
     "cannot be the name of a network interface"},
    {"control_on_a_rail", "\"bond1\"", "\"rdma0\"", "3: control_interface",
     "'rdma0' is a port of group 'gpu'"},
    {"control_missing", "control_interface = \"bond1\"", "", "1: control_interface",
     "it is missing"},
    {"leaf_with_unknown_node", "\"gpu[01-02]\"", "\"gpu[01-07]\"", "33: leaves[0].nodes[0]",
     "no group has 'gpu05', 'gpu06', 'gpu07'"},
    {"leaf_with_node_twice", "\"gpu[01-02]\"", "\"gpu[01-02]\", \"gpu02\"", "33: leaves[0].nodes",
     "an entry appears twice"},
    {"leaf_with_rail_twice", "[0, 1]", "[0, 1, 0]", "34: leaves[0].rails",
     "an entry appears twice"},
    {"leaf_with_unknown_rail", "[0, 1]", "[0, -1]", "34: leaves[0].rails[1]",
     "there is no rail -1"},
    {"leaf_with_text_for_rail", "[0, 1]", "[0, \"1\"]", "34: leaves[0].rails[1]", "it is a text"},
    {"leaf_with_unknown_plane", "planes = [\"A\"]", "planes = [\"A\", \"C\"]",
     "38: leaves[1].planes[1]", "there is no plane 'C'"},
    {"leaf_carries_nothing", "rails = [0, 1]\n", "", "31: leaves[0]", "the leaf carries nothing"},
    {"leaf_with_node_without_port", "\"storage1\", \"gpu03\"", "\"storage1\", \"compute1\"",
     "37: leaves[1].nodes", "'compute1' has no port on the leaf"},
    {"port_on_two_leaves", "\"storage1\", \"gpu03\"", "\"storage1\", \"gpu02\"", "35: leaves[1]",
     "port 0 of 'gpu02' is on two leaves"},
    {"leaf_twice", "\"leaf 2\"", "\"leaf 1\"", "36: leaves[1].name", "'leaf 1' appears twice"},
};

INSTANTIATE_TEST_SUITE_P(Slips, SiteMistakeTest, testing::ValuesIn(slips),
                         [](const auto& slip) { return slip.param.name; });

TEST(SiteMistakesTest, the_site_that_the_slips_change_has_none) {
    EXPECT_THAT(read_site(valid_site(), "site.toml").mistakes, IsEmpty());
}

TEST(SiteMistakesTest, suggest_the_key_that_was_meant) {
    const auto suggestion = [](const char* from, const char* to) {
        return read_site(changed_site(from, to), "site.toml").mistakes.at(0);
    };
    EXPECT_THAT(suggestion("[[leaves]]", "[[leafs]]\n[[leaves]]"),
                HasSubstr("did you mean 'leaves'?"));
    EXPECT_THAT(suggestion("gpus = 8", "gups = 8"), HasSubstr("did you mean 'gpus'?"));
    EXPECT_THAT(suggestion("mtu_bytes = 9000", "mtu = 9000"),
                HasSubstr("did you mean 'mtu_bytes'?"));
    EXPECT_THAT(suggestion("gpus = 8", "colour = 8"),
                HasSubstr("(a group has 'name', 'hosts', 'gpus', 'ports'); remove it"));
}

TEST(SiteMistakesTest, are_all_reported_in_the_order_of_lines) {
    std::string text = changed_site("index = 1", "index = \"1\"");
    text.replace(text.find("\"bond1\""), 7, "\"bond/1\"");
    text.replace(text.find("gpus = 8"), 8, "gpus = -8");
    EXPECT_THAT(read_site(text, "site.toml").mistakes,
                ElementsAre(StartsWith("site.toml:3: "), StartsWith("site.toml:6: "),
                            StartsWith("site.toml:19: ")));
}

TEST(SiteMistakesTest, in_a_list_are_not_repeated_wherever_the_list_is_referred_to) {
    EXPECT_THAT(
        read_site(changed_site("{name = \"A\"}", "{nam = \"A\"}"), "site.toml").mistakes,
        ElementsAre(HasSubstr("planes[0].name: it is missing"), HasSubstr("unknown key 'nam'")));
}

TEST(SiteMistakesTest, become_one_error_that_says_how_many_more_there_are) {
    try {
        parse_site("format = 1\nname = 2\ncontrol_interface = \"eth0\"\n", "site.toml");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_THAT(error.what(), StartsWith("site.toml:1: planes: it is missing"));
        EXPECT_THAT(error.what(), HasSubstr("; 3 more mistakes"));
    }
}

TEST(SiteMistakesTest, are_bounded_in_number_and_length) {
    std::string text = valid_site() + "[[leaves]]\n";
    for (int i = 0; i < 5000; ++i)
        text += fmt::format("key{}{} = 1\n", i, std::string(100, 'x'));
    const auto mistakes = read_site(text, "site.toml").mistakes;
    ASSERT_THAT(mistakes, SizeIs(101));
    EXPECT_EQ(mistakes.back(), "site.toml: 4903 more mistakes");
    EXPECT_LT(mistakes.front().size(), 400u);
}

TEST(SiteMistakesTest, quote_the_file_without_control_characters) {
    const auto mistakes =
        read_site(changed_site("\"rdma0\"", "\"\\u001b[31m\\n\""), "si\n\x1bte").mistakes;
    ASSERT_THAT(mistakes, SizeIs(1));
    EXPECT_EQ(mistakes[0].find_first_of("\n\x1b"), std::string::npos);
}

TEST(SiteMistakesTest, name_the_limit_of_lists_that_are_too_long) {
    std::string planes;
    for (int i = 0; i < 65; ++i)
        planes += fmt::format("{{name = \"P{}\"}}, ", i);
    EXPECT_THAT(
        read_site(changed_site("{name = \"A\"}, {name = \"B\"}", planes), "site.toml").mistakes,
        ElementsAre(HasSubstr("planes: the list has 65 entries (at most 64 are possible)")));
}

TEST(SiteMistakesTest, of_a_file_that_is_too_large_are_not_looked_for) {
    const std::string large = valid_site() + "#" + std::string(1 << 20, ' ');
    EXPECT_THAT(read_site(large, "site.toml").mistakes,
                ElementsAre(HasSubstr("the file is too large")));
}

TEST(SiteMistakesTest, of_an_empty_file_are_the_keys_it_lacks) {
    EXPECT_THAT(read_site("", "site.toml").mistakes, SizeIs(6));
}

TEST(SiteMistakesTest, are_all_in_the_documentation) {
    const std::string text = read_file(RAILGAUGE_SOURCE_DIR "/docs/site-file.md");
    for (const char* problem : {"cannot be read",
                                "the file is too large",
                                "is no UTF-8 text",
                                "this is no TOML",
                                "a key has too many dots",
                                "format 2 is not known",
                                "unknown key 'rial'",
                                "it is missing",
                                "it is a text",
                                "-1 is out of range",
                                "the list is empty",
                                "the list has 65 entries",
                                "cannot be the name of a network interface",
                                "names no hosts",
                                "it means more hosts than the",
                                "is listed again",
                                "appears twice",
                                "leaves a gap",
                                "there is no plane 'C'",
                                "there is no rail 4",
                                "a port has either a rail or a plane",
                                "a port has no device",
                                "is a port of group",
                                "no group has",
                                "the leaf carries nothing",
                                "an entry appears twice",
                                "is on two leaves",
                                "has no port on the leaf"}) {
        EXPECT_THAT(text, HasSubstr(problem));
    }
}

}  // namespace
}  // namespace railgauge
