// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure/case.hpp"

namespace railgauge {

/// Axes that expand to ordered cases: pure, so every rank builds the same plan.
///
///     Sweep sweep;
///     sweep.axis("operation", {"all_reduce"}).axis("bytes", {8, 16, 32});
///     sweep.cases();   // all_reduce/8, all_reduce/16, all_reduce/32
///
/// The first axis varies slowest. Values keep the order they were given in.
class Sweep {
  public:
    Sweep& axis(std::string name, std::vector<Value> values);

    /// The product of all axes; empty when an axis has no values. Ids are not set yet.
    std::vector<Case> cases() const;

  private:
    struct Axis {
        std::string name;
        std::vector<Value> values;
    };
    std::vector<Axis> axes_;
};

/// Numbers the cases 0, 1, ... in order.
/// @throws Error(usage) when there are none, more than 100,000, or two share a name.
std::vector<Case> make_plan(std::vector<Case> cases);

/// Hash over every case's name and variables: equal plans are safe to resume (16 hex digits,
/// FNV-1a).
std::string plan_id(const std::vector<Case>& plan, const std::string& context);

}  // namespace railgauge
