// SPDX-License-Identifier: Apache-2.0
#include "incast/request_rows.hpp"

#include <algorithm>

namespace railgauge {
namespace {

constexpr std::size_t most_cells = 10;

std::optional<Cell> cell_of(const std::optional<int>& value) {
    if (!value) return std::nullopt;
    return static_cast<Cell>(static_cast<std::int64_t>(*value));
}

std::optional<Cell> cell_of(const std::optional<Role>& role) {
    if (!role) return std::nullopt;
    return static_cast<Cell>(*role);
}

/// A row's cells without those that are common to all.
class RowCells {
  public:
    void add(std::int64_t value) { cells_[count_++] = static_cast<Cell>(value); }
    std::span<const Cell> all() const { return {cells_.data(), count_}; }

  private:
    std::array<Cell, most_cells> cells_;
    std::size_t count_ = 0;
};

}  // namespace

std::vector<SampleColumn> request_columns(const CommonCells& common) {
    return {{"start_ns", "ns", CellType::i64, {}},
            {"elapsed_ns", "ns", CellType::i64, {}},
            {"bytes", "B", CellType::u64, {}},
            {"peer", "rank", CellType::i64, {}},
            {"rail", "rail", CellType::i64, cell_of(common.rail)},
            {"queue", "queue", CellType::i64, cell_of(common.queue)},
            {"role", "role", CellType::i64, cell_of(common.role)},
            {"requests", "1", CellType::u64, {}},
            {"longest_ns", "ns", CellType::i64, {}},
            {"completed_ns", "ns", CellType::i64, {}}};
}

RequestRows::RequestRows(SampleSink& sink, const CommonCells& common, const Window& window,
                         std::int64_t rows_per_second, const Source& source)
    : sink_(sink),
      common_(common),
      window_(window),
      rows_per_second_(rows_per_second),
      source_(source),
      queues_(static_cast<std::size_t>(source.queues)) {}

void RequestRows::add(int queue, std::int64_t start_ns, std::int64_t end_ns) {
    // No row has requests of both sides of the window's begin, or of its end.
    if (end_ns >= window_.begin_ns && !past_begin_) {
        finish();
        past_begin_ = true;
    }
    if (end_ns >= window_.end_ns && !past_end_) {
        finish();
        past_end_ = true;
    }
    Queue& own = queues_[static_cast<std::size_t>(queue)];
    own.start_ns = start_ns;
    own.end_ns = end_ns;
    own.longest_ns = std::max(own.longest_ns, end_ns - start_ns);
    if (++own.requests >= every_) write(queue);
}

void RequestRows::finish() {
    for (int queue = 0; queue < source_.queues; ++queue)
        if (queues_[static_cast<std::size_t>(queue)].requests > 0) write(queue);
}

void RequestRows::write(int queue) {
    Queue& own = queues_[static_cast<std::size_t>(queue)];
    if (past_begin_) {
        RowCells row;
        row.add(own.start_ns);
        row.add(own.end_ns - own.start_ns);
        row.add(static_cast<std::int64_t>(own.requests * source_.bytes));
        row.add(source_.peer);
        if (!common_.rail) row.add(source_.rail);
        if (!common_.queue) row.add(queue);
        if (!common_.role) row.add(static_cast<std::int64_t>(source_.role));
        row.add(static_cast<std::int64_t>(own.requests));
        row.add(own.longest_ns);
        row.add(own.end_ns - window_.begin_ns);
        sink_.add(row.all());
    }
    own.requests = 0;
    own.longest_ns = 0;
    adapt(own.end_ns);
}

/// Twice as many requests for each row when since the last such change there were more rows than so
/// many a second and a tenth of a second's more.
void RequestRows::adapt(std::int64_t now_ns) {
    if (rows_per_second_ == 0) return;
    if (++rows_ == 1) since_ns_ = now_ns;
    const double seconds = static_cast<double>(now_ns - since_ns_) * 1e-9 + 0.1;
    if (static_cast<double>(rows_) <= static_cast<double>(rows_per_second_) * seconds) return;
    every_ *= 2;
    rows_ = 0;
}

}  // namespace railgauge
