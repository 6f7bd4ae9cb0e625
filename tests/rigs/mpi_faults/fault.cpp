// SPDX-License-Identifier: Apache-2.0
#include "fault.hpp"

#include <charconv>
#include <map>
#include <stdexcept>
#include <string_view>

namespace railgauge::faults {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

template <class Number>
Number parse_number(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw std::invalid_argument("'" + std::string(text) + "' is no number");
    }
    return number;
}

void set_action(Fault& fault, std::string_view value) {
    static const std::map<std::string_view, Action> actions = {{"hang_before", Action::hang_before},
                                                               {"hang_after", Action::hang_after},
                                                               {"die", Action::die},
                                                               {"stop", Action::stop},
                                                               {"corrupt", Action::corrupt},
                                                               {"slow", Action::slow}};
    const std::size_t colon = value.find(':');
    const auto found = actions.find(value.substr(0, colon));
    const bool has_delay = colon != std::string_view::npos;
    if (found == actions.end() || has_delay != (found->second == Action::slow)) {
        throw std::invalid_argument("'" + std::string(value) + "' is no action");
    }
    fault.action = found->second;
    if (has_delay) fault.delay_ms = parse_number<int>(value.substr(colon + 1));
}

void set_field(Fault& fault, std::string_view field) {
    const std::size_t equals = field.find('=');
    const std::string_view key = field.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view{} : field.substr(equals + 1);
    if (key == "rank")
        fault.rank = parse_number<int>(value);
    else if (key == "function")
        fault.function = value;
    else if (key == "call")
        fault.call = parse_number<std::uint64_t>(value);
    else if (key == "action")
        set_action(fault, value);
    else
        throw std::invalid_argument("'" + std::string(field) + "' is no field of a fault");
}

}  // namespace

std::vector<Fault> parse_faults(const std::string& text) {
    std::vector<Fault> faults;
    for (const std::string_view part : split(text, ';')) {
        if (part.empty()) continue;
        Fault fault;
        for (const std::string_view field : split(part, ','))
            set_field(fault, field);
        if (fault.function.empty()) throw std::invalid_argument("a fault names no function");
        faults.push_back(fault);
    }
    return faults;
}

}  // namespace railgauge::faults
