// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace railgauge {

/// Jain's index of how evenly `x` is shared: (sum x)^2 / (n sum x^2), from 1/n (one has all) to 1
/// (all have the same). R. Jain, D. Chiu, W. Hawe, "A Quantitative Measure of Fairness and
/// Discrimination for Resource Allocation in Shared Computer Systems", DEC TR-301, 1984. NaN when
/// nobody has anything.
double jain_index(std::span<const double> x);

/// Each of `x` over the mean of all: 1 is the fair share. NaN when nobody has anything.
std::vector<double> fair_shares(std::span<const double> x);

}  // namespace railgauge
