// SPDX-License-Identifier: Apache-2.0
#include "incast/fairness.hpp"

#include <numeric>

namespace railgauge {

double jain_index(std::span<const double> x) {
    const double sum = std::accumulate(x.begin(), x.end(), 0.0);
    const double squares = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
    return sum * sum / (static_cast<double>(x.size()) * squares);
}

std::vector<double> fair_shares(std::span<const double> x) {
    const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
    std::vector<double> shares;
    shares.reserve(x.size());
    for (const double value : x)
        shares.push_back(value / mean);
    return shares;
}

}  // namespace railgauge
