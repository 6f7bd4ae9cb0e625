// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "measure/sample.hpp"

namespace railgauge {

/// Samples of an iteration workload in memory that is allocated and touched before the timed loop.
///
/// Columns: start_ns, elapsed_ns, bytes (constant), then the workload's own.
class SampleBuffer : public SampleSource {
  public:
    /// Makes room for `capacity` samples and forgets the old ones.
    void reset(std::size_t capacity, std::uint64_t bytes_per_sample,
               const std::vector<SampleColumn>& extra);

    void add(std::int64_t start_ns, std::int64_t end_ns) noexcept {
        start_ns_[size_] = static_cast<Cell>(start_ns);
        elapsed_ns_[size_] = static_cast<Cell>(end_ns - start_ns);
        ++size_;
    }

    std::size_t size() const noexcept { return size_; }
    std::span<const Cell> start_ns() const noexcept { return {start_ns_.data(), size_}; }
    std::span<const Cell> elapsed_ns() const noexcept { return {elapsed_ns_.data(), size_}; }

    /// The cells of the workload's column `i`, to be filled after the timed loop.
    std::span<Cell> extra(std::size_t i) { return {extra_[i].data(), size_}; }

    const std::vector<SampleColumn>& columns() const override { return columns_; }
    std::uint64_t rows() const override { return size_; }
    void copy(std::size_t column, std::uint64_t first, std::span<Cell> out) const override;

  private:
    static constexpr std::size_t own_columns = 3;

    std::vector<SampleColumn> columns_;
    std::size_t size_ = 0;
    std::vector<Cell> start_ns_;
    std::vector<Cell> elapsed_ns_;
    std::vector<std::vector<Cell>> extra_;
};

}  // namespace railgauge
