// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace railgauge {

/// What messages say about a planned case.
struct CaseLabel {
    std::string name;
    std::string operation;
    std::uint64_t bytes = 0;
};

namespace board {

/// The planned cases by id; empty until the plan is known.
struct Plan {
    std::string id;
    std::vector<CaseLabel> labels;

    bool is_known() const noexcept { return !id.empty(); }

    /// Nothing outside the plan: `case_id` may come from the network.
    const CaseLabel* find(int case_id) const noexcept {
        const auto index = static_cast<std::size_t>(case_id);
        return case_id >= 0 && index < labels.size() ? &labels[index] : nullptr;
    }
};

}  // namespace board
}  // namespace railgauge
