// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace railgauge {

/// Every sample cell is eight bytes; the column says how to read them.
using Cell = std::uint64_t;

enum class CellType { i64, u64, f64 };

struct SampleColumn {
    std::string name;
    std::string unit;
    CellType type = CellType::i64;
    /// The value of every sample on every rank: stored once, not per sample.
    std::optional<Cell> constant;
};

/// The samples one rank took in one case, column by column. Rows are in the order they were taken.
class SampleSource {
  public:
    virtual ~SampleSource() = default;
    virtual const std::vector<SampleColumn>& columns() const = 0;
    virtual std::uint64_t rows() const = 0;

    /// Copies rows [first, first + out.size()) of a column that is not constant.
    virtual void copy(std::size_t column, std::uint64_t first, std::span<Cell> out) const = 0;
};

}  // namespace railgauge
