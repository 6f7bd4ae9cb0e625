// SPDX-License-Identifier: Apache-2.0
#include "measure/case.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

constexpr std::array<std::string_view, 6> status_names{"planned", "done",    "wrong",
                                                       "failed",  "skipped", "expired"};

template <class T>
const T& get_as(const Value& value, std::string_view name) {
    if (const T* typed = std::get_if<T>(&value)) return *typed;
    throw std::logic_error(fmt::format("variable {} has another type", name));
}

}  // namespace

std::string to_text(const Value& value) {
    return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

Case::Case(std::string name, std::vector<Variable> variables)
    : name_(std::move(name)), variables_(std::move(variables)) {}

void Case::annotate(std::string name, Value value) {
    variables_.push_back({std::move(name), std::move(value)});
}

bool Case::has(std::string_view name) const {
    return std::any_of(variables_.begin(), variables_.end(),
                       [&](const Variable& v) { return v.name == name; });
}

const Value& Case::at(std::string_view name) const {
    const auto found = std::find_if(variables_.begin(), variables_.end(),
                                    [&](const Variable& v) { return v.name == name; });
    if (found == variables_.end())
        throw std::logic_error(fmt::format("case {} has no {}", name_, name));
    return found->value;
}

std::int64_t Case::integer(std::string_view name) const {
    return get_as<std::int64_t>(at(name), name);
}
const std::string& Case::text(std::string_view name) const {
    return get_as<std::string>(at(name), name);
}

std::string_view to_text(CaseStatus status) {
    return status_names.at(static_cast<std::size_t>(status));
}

CaseStatus parse_case_status(std::string_view text) {
    const auto found = std::find(status_names.begin(), status_names.end(), text);
    if (found != status_names.end()) return static_cast<CaseStatus>(found - status_names.begin());
    throw Error(ExitCode::usage, fmt::format("'{}' is no case status", text),
                "the run was written by another version or is damaged",
                "measure again with --overwrite");
}

}  // namespace railgauge
