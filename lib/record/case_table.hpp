// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "measure/case.hpp"
#include "record/table.hpp"

namespace railgauge {

/// The columns of /cases: bookkeeping first, then every variable that any planned case has, in the
/// order they appear. Header, parts and run share them.
class CaseTable {
  public:
    /// A variable whose type differs between cases becomes text.
    /// @throws std::logic_error when a variable is named like a bookkeeping column
    explicit CaseTable(const std::vector<Case>& plan);

    /// One row per case; `results` are as many. A variable that a case lacks is -1, NaN or empty.
    Table rows(std::span<const Case> cases, std::span<const CaseResult> results) const;

    /// Every planned case, none measured.
    Table planned(const std::vector<Case>& plan) const;

  private:
    struct VariableColumn {
        std::string name;
        std::size_t kind;  ///< index into Value
    };
    std::vector<VariableColumn> variables_;
};

}  // namespace railgauge
