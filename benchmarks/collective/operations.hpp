// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/call.hpp"

namespace railgauge {

/// How many times the call's count a buffer holds.
enum class Extent { one, one_per_rank };

enum class Reduces { no, yes };

/// Which ranks have an input, or a result.
enum class Holders { every_rank, root };

/// Where a chunk of a result comes from: the source is a rank or reduced_over_ranks, and the chunk
/// starts at this element of the source's input.
struct Origin {
    int source;
    std::size_t first;
};

/// Asks for chunk `chunk` (of `count` elements) of rank `rank`'s result.
struct ChunkQuestion {
    int rank;
    int chunk;
    int root;
    std::size_t count;
};

/// All there is to know about a collective apart from launching it (lib/collectives).
struct OperationRow {
    Operation operation;
    std::string_view name;
    Extent send;
    Extent receive;
    Holders input;
    Holders result;
    Reduces reduces;
    double (*bus_factor)(int ranks);  ///< busbw = algbw x this, as nccl-tests has it
    Origin (*origin)(const ChunkQuestion& question);
};

/// Every collective, in the order of the enumerators.
std::span<const OperationRow> operations();

const OperationRow& row_of(Operation operation);

/// @throws Error(usage) that lists the names there are
const OperationRow& find_operation(std::string_view name);

std::vector<std::string> operation_names();

/// Whether the operation has a root.
bool is_rooted(const OperationRow& row);

/// Elements of a rank's send and receive buffer, and of the larger of the two, which is also X of
/// algbw = X / time in nccl-tests.
std::size_t send_elements(const OperationRow& row, std::size_t count, int ranks);
std::size_t receive_elements(const OperationRow& row, std::size_t count, int ranks);
std::size_t larger_elements(const OperationRow& row, std::size_t count, int ranks);

/// The count whose larger buffer comes closest to `bytes` from below; 0 when not even one element
/// per rank fits.
std::size_t count_within(const OperationRow& row, std::uint64_t bytes, DataType type, int ranks);

}  // namespace railgauge
