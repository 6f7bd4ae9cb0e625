// SPDX-License-Identifier: Apache-2.0
#include "record/case_table.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include <fmt/format.h>

namespace railgauge {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const Value* find(const Case& c, const std::string& name) {
    const auto found = std::find_if(c.variables().begin(), c.variables().end(),
                                    [&](const Variable& v) { return v.name == name; });
    return found == c.variables().end() ? nullptr : &found->value;
}

/// The variable's value as a T, or `missing`.
template <class T>
auto value_as(const std::string& name, T missing) {
    return [name, missing](const Case& c) {
        const Value* value = find(c, name);
        return value == nullptr ? missing : std::get<T>(*value);
    };
}

auto value_as_text(const std::string& name) {
    return [name](const Case& c) {
        const Value* value = find(c, name);
        return value == nullptr ? std::string() : to_text(*value);
    };
}

Table bookkeeping(std::span<const Case> cases, std::span<const CaseResult> results) {
    Table table;
    table.add("id", cases, &Case::id);
    table.add("name", cases, &Case::name);
    table.add("status", results,
              [](const CaseResult& r) { return std::string(to_text(r.status)); });
    table.add("reason", results, &CaseResult::reason);
    table.add("checked_elements", results, &CaseResult::checked_elements);
    table.add("wrong_elements", results, &CaseResult::wrong_elements);
    table.add("samples", results, &CaseResult::samples);
    table.add("started_ns", results, &CaseResult::started_ns);
    table.add("wall_ns", results, &CaseResult::wall_ns);
    table.add("clock_error_ns", results, &CaseResult::clock_error_ns);
    table.add("ops_per_sample", results, &CaseResult::ops_per_sample);
    table.add("algbw_bytes", results, &CaseResult::algbw_bytes);
    table.add("bus_factor", results, &CaseResult::bus_factor);
    table.add("algorithm", results, [](const CaseResult& r) { return r.choice.algorithm; });
    table.add("protocol", results, [](const CaseResult& r) { return r.choice.protocol; });
    table.add("channels", results, [](const CaseResult& r) { return r.choice.channels; });
    return table;
}

constexpr std::size_t integer_kind = 0;
constexpr std::size_t real_kind = 1;
constexpr std::size_t text_kind = 2;
static_assert(std::is_same_v<std::variant_alternative_t<integer_kind, Value>, std::int64_t>);
static_assert(std::is_same_v<std::variant_alternative_t<real_kind, Value>, double>);
static_assert(std::is_same_v<std::variant_alternative_t<text_kind, Value>, std::string>);

}  // namespace

CaseTable::CaseTable(const std::vector<Case>& plan) {
    const Table reserved = bookkeeping({}, {});
    std::unordered_map<std::string, std::size_t> positions;
    for (const Case& c : plan) {
        for (const Variable& variable : c.variables()) {
            const auto [known, is_new] = positions.try_emplace(variable.name, variables_.size());
            if (is_new) {
                if (reserved.find(variable.name) != nullptr) {
                    throw std::logic_error(
                        fmt::format("variable {} is named like a column of the "
                                    "case table",
                                    variable.name));
                }
                variables_.push_back({variable.name, variable.value.index()});
            } else if (variables_[known->second].kind != variable.value.index()) {
                variables_[known->second].kind = text_kind;
            }
        }
    }
}

Table CaseTable::rows(std::span<const Case> cases, std::span<const CaseResult> results) const {
    Table table = bookkeeping(cases, results);
    for (const VariableColumn& column : variables_) {
        switch (column.kind) {
            case integer_kind:
                table.add(column.name, cases, value_as<std::int64_t>(column.name, -1));
                break;
            case real_kind:
                table.add(column.name, cases, value_as<double>(column.name, nan));
                break;
            default: table.add(column.name, cases, value_as_text(column.name)); break;
        }
    }
    return table;
}

Table CaseTable::planned(const std::vector<Case>& plan) const {
    CaseResult result;
    result.bus_factor = nan;
    return rows(plan, std::vector<CaseResult>(plan.size(), result));
}

}  // namespace railgauge
