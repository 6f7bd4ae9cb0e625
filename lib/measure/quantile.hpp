// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace railgauge {

/// Samples from which a 99th percentile is shown: a percentile needs ten samples beyond it.
inline constexpr std::size_t least_for_p99 = 1000;

/// The smallest value that at least `fraction` of the values do not exceed; NaN when there are
/// none. Reorders `values`.
template <class T>
double quantile(std::vector<T>& values, double fraction) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    const double rank = std::ceil(fraction * static_cast<double>(values.size()));
    const auto position = values.begin() + static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
    std::nth_element(values.begin(), position, values.end());
    return static_cast<double>(*position);
}

}  // namespace railgauge
