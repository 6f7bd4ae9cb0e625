// SPDX-License-Identifier: Apache-2.0
#include "fault.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace gpu_double {
namespace {

template <class Number>
bool parse_number(const std::string& text, Number& number) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end && number >= 0;
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
        parts.push_back(part);
    return parts;
}

bool parse_moment(const std::string& text, Fault& fault) {
    fault.moment = text == "*"      ? FaultMoment::any
                   : text == "init" ? FaultMoment::init
                                    : FaultMoment::one;
    return fault.moment != FaultMoment::one || parse_number(text, fault.sequence);
}

bool parse_kind(const std::string& text, Fault& fault) {
    constexpr std::array<std::string_view, 4> names{"hang", "error", "corrupt", "slow"};
    const auto* found = std::find(names.begin(), names.end(), text);
    fault.kind = static_cast<FaultKind>(found - names.begin());
    return found != names.end();
}

std::optional<Fault> parse_fault(const std::string& text) {
    const auto parts = split(text, ':');
    Fault fault;
    if (parts.size() < 3 || parts.size() > 4) return std::nullopt;
    if (!parse_number(parts[0], fault.rank)) return std::nullopt;
    if (!parse_moment(parts[1], fault) || !parse_kind(parts[2], fault)) return std::nullopt;
    if (parts.size() == 4 && !parse_number(parts[3], fault.amount)) return std::nullopt;
    return fault;
}

// A misspelt fault would make a test pass that tests nothing.
std::vector<Fault> faults_of_environment() {
    const char* text = std::getenv("RAILGAUGE_DOUBLE_FAULT");
    if (text == nullptr) return {};
    if (auto faults = parse_faults(text)) return *faults;
    std::fprintf(stderr, "GPU double: RAILGAUGE_DOUBLE_FAULT=%s cannot be understood\n", text);
    std::abort();
}

bool applies_to(Family family) {
    const char* text = std::getenv("RAILGAUGE_DOUBLE_FAULT_COMM");
    if (text == nullptr) return true;
    return std::string_view(text) == (family == Family::split ? "split" : "world");
}

}  // namespace

std::optional<std::vector<Fault>> parse_faults(const std::string& text) {
    std::vector<Fault> faults;
    for (const auto& part : split(text, ',')) {
        const auto fault = parse_fault(part);
        if (!fault) return std::nullopt;
        faults.push_back(*fault);
    }
    return faults;
}

FaultPlan::FaultPlan(int rank, Family family) {
    if (!applies_to(family)) return;
    for (const Fault& fault : faults_of_environment())
        if (fault.rank == rank) faults_.push_back(fault);
}

std::optional<Fault> FaultPlan::at_init() const {
    for (const Fault& fault : faults_)
        if (fault.moment == FaultMoment::init) return fault;
    return std::nullopt;
}

std::optional<Fault> FaultPlan::at(std::uint64_t sequence) const {
    for (const Fault& fault : faults_)
        if (fault.moment == FaultMoment::any ||
            (fault.moment == FaultMoment::one && fault.sequence == sequence))
            return fault;
    return std::nullopt;
}

}  // namespace gpu_double
