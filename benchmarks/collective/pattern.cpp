// SPDX-License-Identifier: Apache-2.0
#include "collective/pattern.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

constexpr int most_ranks = 65'536;

/// Elements that are only moved need no arithmetic of their type: an unsigned integer of its width
/// has more values.
DataType stored_type(DataType type, ReduceOperation reduce) {
    if (reduce != ReduceOperation::none) return type;
    switch (size_of(type)) {
        case 1: return DataType::uint8;
        case 2: return DataType::float16;
        case 4: return DataType::int32;
        default: return DataType::int64;
    }
}

}  // namespace

Pattern::Pattern(PatternEngine& engine, DataType type, ReduceOperation reduce, int ranks)
    : engine_(engine),
      type_(type),
      reduce_(reduce),
      ranks_(ranks),
      stored_(stored_type(type, reduce)),
      tables_(stored_, reduce, ranks) {
    if (ranks > most_ranks) {
        throw Error(ExitCode::usage, fmt::format("{} ranks cannot be verified", ranks),
                    "float32 sums of more than 65536 ranks would round",
                    "measure with fewer ranks");
    }
    if (reduce != ReduceOperation::none) reduced_ = tables_.reduced();
}

const PatternTable& Pattern::table_of(const ElementRange& stretch) {
    if (stretch.source == reduced_over_ranks) return reduced_;
    const std::size_t needed = std::min(stretch.count, block_elements);
    std::size_t index = stretch.first % block_elements;
    for (std::size_t i = 0; i < needed; ++i) {
        single_[index] = tables_.of_rank(stretch.source, index);
        if (++index == block_elements) index = 0;
    }
    return single_;
}

PatternJob Pattern::job_of(const ElementRange& stretch) {
    PatternJob job{};
    job.type = stored_;
    job.table = table_of(stretch).data();
    job.rule = tables_.levels(stretch.round);
    job.first = stretch.first;
    job.count = stretch.count;
    if (stretch.source == reduced_over_ranks && reduce_ == ReduceOperation::avg) {
        job.divisor = ranks_;
        const double roundoff = row_of(stored_).unit_roundoff;
        if (ranks_ > 1 && roundoff > 0) job.tolerance = (ranks_ + 2) * roundoff;
    }
    return job;
}

void Pattern::write(const ElementRange& stretch, void* out) {
    engine_.fill(job_of(stretch), out);
}

std::uint64_t Pattern::count_wrong(const ElementRange& stretch, const void* data) {
    return engine_.count_wrong(job_of(stretch), data);
}

}  // namespace railgauge
