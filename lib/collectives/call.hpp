// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

enum class Operation { all_reduce, all_gather, reduce_scatter, broadcast, reduce, alltoall };
enum class DataType { float32, float64, int32, int64, bytes };
enum class ReduceOperation { none, sum, max };
enum class Place { out, in };

/// Bytes of one element.
std::size_t size_of(DataType type);

std::string_view to_text(DataType type);
std::string_view to_text(ReduceOperation reduce);
std::string_view to_text(Place place);

/// @throws Error(usage) that lists the names there are
DataType parse_data_type(std::string_view text);
ReduceOperation parse_reduce_operation(std::string_view text);
Place parse_place(std::string_view text);

std::vector<std::string> data_type_names();
std::vector<std::string> reduce_operation_names();

/// One collective of one group, in the backend-neutral words of the sweep.
///
/// In place, `send` and `receive` are the start of one buffer, as large as the larger of the two;
/// it holds this rank's input where the operation's in-place form expects it.
struct CollectiveCall {
    Operation operation;
    DataType type;
    ReduceOperation reduce;
    Place place;
    int root;
    std::size_t count;  ///< elements: the per-rank argument, as nccl-tests prints it
    const void* send;
    void* receive;
};

}  // namespace railgauge
