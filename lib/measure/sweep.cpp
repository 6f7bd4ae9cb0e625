// SPDX-License-Identifier: Apache-2.0
#include "measure/sweep.hpp"

#include <set>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/fnv1a.hpp"

namespace railgauge {
namespace {

constexpr std::size_t most_cases = 100'000;

Case make_case(const std::vector<Variable>& variables) {
    std::string name;
    for (const Variable& variable : variables) {
        if (!name.empty()) name += '/';
        name += to_text(variable.value);
    }
    return {std::move(name), variables};
}

}  // namespace

Sweep& Sweep::axis(std::string name, std::vector<Value> values) {
    axes_.push_back({std::move(name), std::move(values)});
    return *this;
}

std::vector<Case> Sweep::cases() const {
    std::vector<std::vector<Variable>> tuples{{}};
    for (const Axis& axis : axes_) {
        std::vector<std::vector<Variable>> longer;
        longer.reserve(tuples.size() * axis.values.size());
        for (const auto& tuple : tuples) {
            for (const Value& value : axis.values) {
                longer.push_back(tuple);
                longer.back().push_back({axis.name, value});
            }
        }
        tuples = std::move(longer);
        if (tuples.size() > most_cases) break;  // make_plan refuses it by name
    }
    std::vector<Case> cases;
    cases.reserve(tuples.size());
    for (const auto& tuple : tuples)
        cases.push_back(make_case(tuple));
    return cases;
}

std::vector<Case> make_plan(std::vector<Case> cases) {
    if (cases.empty()) {
        throw Error(ExitCode::usage, "nothing to measure", "the options select no case",
                    "widen --op or --sizes");
    }
    if (cases.size() > most_cases) {
        throw Error(ExitCode::usage, "more than 100,000 cases",
                    "a run file this large cannot be read well",
                    "split the sweep into several runs");
    }
    std::set<std::string> names;
    int id = 0;
    for (Case& c : cases) {
        if (!names.insert(c.name()).second) {
            throw Error(ExitCode::usage, fmt::format("case {} is planned twice", c.name()),
                        "its samples could not be told apart",
                        "name every operation, type and size once");
        }
        c.set_id(id++);
    }
    return cases;
}

std::string plan_id(const std::vector<Case>& plan, const std::string& context) {
    Fnv1a hash;
    hash.add(context);
    for (const Case& c : plan) {
        hash.add(c.name());
        for (const Variable& variable : c.variables()) {
            hash.add(variable.name);
            hash.add(to_text(variable.value));
        }
    }
    return fmt::format("{:016x}", hash.value());
}

}  // namespace railgauge
