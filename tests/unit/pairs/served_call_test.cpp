// SPDX-License-Identifier: Apache-2.0
#include "pairs/served_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace railgauge {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

std::string refusal(const std::string& text) {
    try {
        decode_command(bytes_of(text));
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

Json prepare() {
    return {{"command", "prepare"},
            {"operation", "bandwidth"},
            {"verb", "write"},
            {"bytes", 4096},
            {"depth", 16},
            {"queues", 2},
            {"memory", "host"},
            {"signal_interval", 4},
            {"rank", 3}};
}

TEST(ServedCallTest, commands_are_understood_as_they_were_meant) {
    PrepareCommand command;
    command.call = {PairOperation::bandwidth, Direction::backward, 4096, 16, Verb::read, 2, 4};
    command.memory = "huge";
    command.rank = 7;
    const auto read = std::get<PrepareCommand>(decode_command(encode(command)));
    EXPECT_EQ(read.call.direction, Direction::backward);
    EXPECT_EQ(read.call.verb, Verb::read);
    EXPECT_EQ(read.call.window_bytes(), command.call.window_bytes());
    EXPECT_EQ(read.call.signal_interval, 4);
    EXPECT_EQ(read.memory, "huge");
    EXPECT_EQ(read.rank, 7);
    const auto check = std::get<CheckCommand>(decode_command(encode(CheckCommand{1, 20})));
    EXPECT_EQ(check.round, 1u);
    EXPECT_EQ(check.answers, 20);
    EXPECT_EQ(std::get<EndCommand>(decode_command(encode(EndCommand{5}))).answers, 5);
    EXPECT_TRUE(std::holds_alternative<LeaveCommand>(decode_command(encode(LeaveCommand{}))));
}

TEST(ServedCallTest, replies_are_understood_and_their_text_is_made_printable) {
    const ServedReply reply = decode_reply(encode(
        ServedReply{.error = "no\x1b[2J \xff", .is_refusal = true, .checked = 9, .wrong = 2}));
    EXPECT_EQ(reply.error.find('\x1b'), std::string::npos);
    EXPECT_TRUE(reply.is_refusal);
    EXPECT_FALSE(reply.is_full);
    EXPECT_EQ(reply.checked, 9u);
    EXPECT_EQ(reply.wrong, 2u);
}

TEST(ServedCallTest, the_direction_follows_from_the_verb) {
    EXPECT_EQ(served_direction(PairOperation::bandwidth, Verb::write), Direction::forward);
    EXPECT_EQ(served_direction(PairOperation::bandwidth, Verb::read), Direction::backward);
    EXPECT_EQ(served_direction(PairOperation::latency, Verb::read), Direction::round_trip);
    EXPECT_THROW(served_direction(PairOperation::latency, Verb::send), Error);
}

TEST(ServedCallTest, what_is_no_command_is_refused) {
    for (const char* text : {"", "{", "null", "[]", "\"end\"", "\xff\xfe", "{\"command\":1}",
                             "{\"command\":\"fetch\"}", "{\"command\":\"leave\",\"now\":1}"})
        EXPECT_NE(refusal(text), "accepted") << text;
    EXPECT_NE(refusal(std::string(8000, '[')), "accepted");
    EXPECT_EQ(refusal(prepare().dump()), "accepted");
}

TEST(ServedCallTest, every_number_has_its_range) {
    const auto with = [](const char* key, const Json& value) {
        Json command = prepare();
        command[key] = value;
        return refusal(command.dump());
    };
    for (const char* key : {"bytes", "depth", "queues", "signal_interval"})
        EXPECT_THAT(with(key, 0), HasSubstr("is not in 1 .. ")) << key;
    for (const char* key : {"bytes", "depth", "queues", "signal_interval", "rank"}) {
        EXPECT_NE(with(key, -1), "accepted") << key;
        EXPECT_NE(with(key, 18446744073709551615u), "accepted") << key;
        EXPECT_NE(with(key, 1e30), "accepted") << key;
        EXPECT_NE(with(key, 1.5), "accepted") << key;
        EXPECT_NE(with(key, "4"), "accepted") << key;
        EXPECT_NE(with(key, nullptr), "accepted") << key;
    }
    EXPECT_THAT(with("signal_interval", 17), HasSubstr("1 .. 16"));
    EXPECT_THAT(with("verb", "send"), HasSubstr("verb 'send' is unknown"));
    EXPECT_THAT(with("memory", std::string(65, 'x')), HasSubstr("too long"));
    EXPECT_THAT(with("extra", 1), HasSubstr("'extra' is unknown"));
}

TEST(ServedCallTest, a_missing_key_is_named) {
    const Json whole = prepare();
    for (const auto& [key, value] : whole.items()) {
        Json command = whole;
        command.erase(key);
        EXPECT_THAT(refusal(command.dump()), HasSubstr(key + " is missing"));
    }
}

}  // namespace
}  // namespace railgauge
