// SPDX-License-Identifier: Apache-2.0
#include "pairs/served_call.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t most_int = std::numeric_limits<int>::max();
constexpr std::int64_t most_int64 = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t most_shown_bytes = 200;

[[noreturn]] void refuse(const std::string& why) {
    throw Error(ExitCode::library, "a frame of the control channel is not understood", why,
                "see whether both sides are of one version");
}

std::string shown(std::string_view text) {
    return printable_utf8(whole_characters(text, most_shown_bytes));
}

/// An object whose keys are all known.
class Fields {
  public:
    explicit Fields(std::span<const std::byte> frame)
        : object_(Json::parse(reinterpret_cast<const char*>(frame.data()),
                              reinterpret_cast<const char*>(frame.data() + frame.size()), nullptr,
                              false)) {
        if (!object_.is_object()) refuse("it is no JSON object");
    }

    void allow(std::initializer_list<std::string_view> keys) const {
        for (const auto& [key, value] : object_.items())
            if (std::find(keys.begin(), keys.end(), key) == keys.end())
                refuse(fmt::format("'{}' is unknown", shown(key)));
    }

    std::string text(const char* key, std::size_t most_bytes = 64) const {
        const Json& value = field(key);
        if (!value.is_string()) refuse(fmt::format("{} is no text", key));
        const auto& text = value.get_ref<const std::string&>();
        if (text.size() > most_bytes) refuse(fmt::format("{} is too long", key));
        return text;
    }

    std::int64_t number(const char* key, std::int64_t least, std::int64_t most) const {
        const Json& value = field(key);
        if (!value.is_number_integer()) refuse(fmt::format("{} is no whole number", key));
        const bool is_huge =
            value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{most_int64};
        const std::int64_t number = is_huge ? most_int64 : value.get<std::int64_t>();
        if (is_huge || number < least || number > most)
            refuse(fmt::format("{} is not in {} .. {}", key, least, most));
        return number;
    }

    bool flag(const char* key) const {
        const Json& value = field(key);
        if (!value.is_boolean()) refuse(fmt::format("{} is neither true nor false", key));
        return value.get<bool>();
    }

  private:
    const Json& field(const char* key) const {
        const auto found = object_.find(key);
        if (found == object_.end()) refuse(fmt::format("{} is missing", key));
        return *found;
    }

    Json object_;
};

std::vector<std::byte> to_frame(const Json& object) {
    const std::string text = object.dump(-1, ' ', false, Json::error_handler_t::replace);
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

template <class Enum>
Enum choice(const Fields& fields, const char* key, std::initializer_list<Enum> values) {
    const std::string text = fields.text(key);
    for (const Enum value : values)
        if (text == name_of(value)) return value;
    refuse(fmt::format("{} '{}' is unknown", key, shown(text)));
}

PrepareCommand read_prepare(const Fields& fields) {
    fields.allow({"command", "operation", "verb", "bytes", "depth", "queues", "signal_interval",
                  "memory", "rank"});
    constexpr std::int64_t most_bytes = std::int64_t{1} << 60;
    constexpr int most_depth = 4096;
    constexpr int most_queues = 32;
    PrepareCommand command;
    PairCall& call = command.call;
    call.operation =
        choice(fields, "operation", {PairOperation::bandwidth, PairOperation::latency});
    call.verb = choice(fields, "verb", {Verb::write, Verb::read});
    call.direction = served_direction(call.operation, call.verb);
    call.bytes = static_cast<std::size_t>(fields.number("bytes", 1, most_bytes));
    const bool is_latency = call.operation == PairOperation::latency;
    call.depth = static_cast<int>(fields.number("depth", 1, is_latency ? 1 : most_depth));
    call.queues = static_cast<int>(fields.number("queues", 1, is_latency ? 1 : most_queues));
    call.signal_interval = static_cast<int>(fields.number("signal_interval", 1, call.depth));
    command.memory = fields.text("memory");
    command.rank = static_cast<int>(fields.number("rank", 0, most_int));
    return command;
}

Json to_json(const PrepareCommand& command) {
    const PairCall& call = command.call;
    return {{"command", "prepare"},       {"operation", name_of(call.operation)},
            {"verb", name_of(call.verb)}, {"bytes", call.bytes},
            {"depth", call.depth},        {"queues", call.queues},
            {"memory", command.memory},   {"signal_interval", call.signal_interval},
            {"rank", command.rank}};
}

Json to_json(const CheckCommand& command) {
    return {{"command", "check"}, {"round", command.round}, {"answers", command.answers}};
}

Json to_json(const EndCommand& command) {
    return {{"command", "end"}, {"answers", command.answers}};
}

Json to_json(const LeaveCommand& /*command*/) {
    return {{"command", "leave"}};
}

}  // namespace

Direction served_direction(PairOperation operation, Verb verb) {
    if (verb != Verb::write && verb != Verb::read) {
        throw Error(ExitCode::usage, "pattern served cannot send",
                    "a receiver outside the job only answers, and a send takes a receive there",
                    "use --verb write or read");
    }
    if (operation == PairOperation::latency) return Direction::round_trip;
    return verb == Verb::write ? Direction::forward : Direction::backward;
}

std::vector<std::byte> encode(const ServedCommand& command) {
    return to_frame(std::visit([](const auto& one) { return to_json(one); }, command));
}

std::vector<std::byte> encode(const ServedReply& reply) {
    return to_frame({{"error", whole_characters(reply.error, most_command_bytes / 2)},
                     {"refusal", reply.is_refusal},
                     {"full", reply.is_full},
                     {"checked", reply.checked},
                     {"wrong", reply.wrong}});
}

ServedCommand decode_command(std::span<const std::byte> frame) {
    const Fields fields(frame);
    const std::string name = fields.text("command");
    if (name == "prepare") return read_prepare(fields);
    if (name == "check") {
        fields.allow({"command", "round", "answers"});
        return CheckCommand{static_cast<std::uint64_t>(fields.number("round", 0, most_int64)),
                            fields.number("answers", 0, most_int64)};
    }
    if (name == "end") {
        fields.allow({"command", "answers"});
        return EndCommand{fields.number("answers", 0, most_int64)};
    }
    fields.allow({"command"});
    if (name == "leave") return LeaveCommand{};
    refuse(fmt::format("command '{}' is unknown", shown(name)));
}

ServedReply decode_reply(std::span<const std::byte> frame) {
    const Fields fields(frame);
    fields.allow({"error", "refusal", "full", "checked", "wrong"});
    return {printable_utf8(fields.text("error", most_command_bytes)), fields.flag("refusal"),
            fields.flag("full"),
            static_cast<std::uint64_t>(fields.number("checked", 0, most_int64)),
            static_cast<std::uint64_t>(fields.number("wrong", 0, most_int64))};
}

}  // namespace railgauge
