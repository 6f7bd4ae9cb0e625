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

/// What `--op` calls the life of a communicator, which is no collective.
inline constexpr std::string_view communicator_operation = "communicator";

/// How many times the call's count a buffer holds, or how many pieces a result is put together
/// from.
enum class Extent { one, one_per_rank };

enum class Reduces { no, yes };

/// Whether one buffer can hold input and result.
enum class InPlace { no, yes };

/// Which ranks have an input, or a result.
enum class Holders { every_rank, root };

/// A piece of a result: elements [start, start + count) of it are elements [first, first + count)
/// of the input of `source`, a rank or reduced_over_ranks.
struct Piece {
    int source;
    std::size_t first;
    std::size_t start;
    std::size_t count;
};

/// Asks for piece `index` of the result of `rank`, of `ranks`.
struct PieceQuestion {
    int rank;
    int ranks;
    int index;
};

/// All there is to know about a collective apart from launching it (lib/collectives).
struct OperationRow {
    Operation operation;
    std::string_view name;
    Extent send;
    Extent receive;
    Extent pieces;
    Holders input;
    Holders result;
    Reduces reduces;
    InPlace in_place;
    double (*bus_factor)(int ranks);  ///< busbw = algbw x this, as nccl-tests has it
    Piece (*piece)(const CollectiveCall& call, const PieceQuestion& question);
};

/// Every collective, in the order of the enumerators.
std::span<const OperationRow> operations();

const OperationRow& row_of(Operation operation);

/// @throws Error(usage) that lists the names there are
const OperationRow& find_operation(std::string_view name);

std::vector<std::string> operation_names();

/// Whether the operation has a root.
bool is_rooted(const OperationRow& row);

/// Why so many ranks cannot do it; empty when they can.
std::string obstacle(const OperationRow& row, int ranks);

/// Elements of a rank's send and receive buffer, and of the larger of the two. An alltoallv's are
/// the most that any rank has.
std::size_t send_elements(const OperationRow& row, std::size_t count, int ranks);
std::size_t receive_elements(const OperationRow& row, std::size_t count, int ranks);
std::size_t larger_elements(const OperationRow& row, std::size_t count, int ranks);

/// X of algbw = X / time, as nccl-tests has it: the larger buffer, but what is sent in a hypercube
/// and the most that is really moved in an alltoallv.
std::size_t algbw_elements(const CollectiveCall& call, int ranks);

/// The count whose larger buffer comes closest to `bytes` from below; 0 when not even one element
/// per rank fits.
std::size_t count_within(const OperationRow& row, std::uint64_t bytes, DataType type, int ranks);

}  // namespace railgauge
