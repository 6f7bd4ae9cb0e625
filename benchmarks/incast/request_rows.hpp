// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "measure/sample_sink.hpp"
#include "measure/workload.hpp"

namespace railgauge {

/// What timed a row: the column `role`.
enum class Role : std::int64_t { sender = 1, victim = 2 };

/// Cells that all rows of a run have in common: they are stored once.
struct CommonCells {
    std::optional<int> rail;
    std::optional<int> queue;
    std::optional<Role> role;
};

/// The columns of docs/incast.md.
std::vector<SampleColumn> request_columns(const CommonCells& common);

/// Rows of finished requests of one peer: one for each, or, beyond so many a second, one for every
/// 2, 4, 8, ... of a queue. What a row stands for is exact: its bytes, its number of requests and
/// the longest of their times; start and time are those of the last of them.
///
/// add() costs two comparisons and three stores, and for a row a copy of its cells.
class RequestRows {
  public:
    struct Source {
        int peer;
        int rail;
        Role role;
        std::uint64_t bytes;  ///< of a request
        int queues;
    };

    /// @param sink outlives it
    /// @param rows_per_second 0 = a row for every request
    RequestRows(SampleSink& sink, const CommonCells& common, const Window& window,
                std::int64_t rows_per_second, const Source& source);

    /// A request is counted when it finishes at the window's begin or later. Of a queue in the
    /// order in which they finish.
    void add(int queue, std::int64_t start_ns, std::int64_t end_ns);

    /// Rows for what has none yet: after the last request.
    void finish();

  private:
    struct Queue {
        std::uint64_t requests = 0;  ///< finished since the last row
        std::int64_t start_ns = 0;   ///< of the last
        std::int64_t end_ns = 0;
        std::int64_t longest_ns = 0;
    };

    void write(int queue);
    void adapt(std::int64_t now_ns);

    SampleSink& sink_;
    CommonCells common_;
    Window window_;
    std::int64_t rows_per_second_;
    Source source_;
    std::vector<Queue> queues_;
    std::uint64_t every_ = 1;  ///< requests of a queue that a row stands for
    std::int64_t rows_ = 0;    ///< since every_ changed; those of the warm-up, too
    std::int64_t since_ns_ = 0;
    bool past_begin_ = false;
    bool past_end_ = false;
};

}  // namespace railgauge
