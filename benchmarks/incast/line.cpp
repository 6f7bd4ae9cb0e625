// SPDX-License-Identifier: Apache-2.0
#include "incast/line.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "mpi/check.hpp"

namespace railgauge {
namespace {

constexpr int tag = 0;

}  // namespace

Line::Line(MPI_Comm comm, int peer, int case_id)
    : comm_(comm), peer_(peer), case_id_(static_cast<std::uint64_t>(case_id)) {
    listen();
}

Line::~Line() {
    MPI_Cancel(&listening_);
    MPI_Wait(&listening_, MPI_STATUS_IGNORE);
    // Three words leave at once, whether or not anybody hears them.
    MPI_Wait(&telling_, MPI_STATUS_IGNORE);
}

void Line::tell(Word word, std::uint64_t number) {
    check(MPI_Wait(&telling_, MPI_STATUS_IGNORE));
    outgoing_ = {case_id_, static_cast<std::uint64_t>(word), number};
    check(MPI_Isend(outgoing_.data(), static_cast<int>(outgoing_.size()), MPI_UINT64_T, peer_, tag,
                    comm_, &telling_));
}

std::optional<Word> Line::heard() {
    int arrived = 0;
    check(MPI_Test(&listening_, &arrived, MPI_STATUS_IGNORE));
    if (arrived == 0) return std::nullopt;
    const Told told = incoming_;
    listen();
    if (told[0] != case_id_) return std::nullopt;
    heard_number_ = told[2];
    return static_cast<Word>(told[1]);
}

void Line::listen() {
    check(MPI_Irecv(incoming_.data(), static_cast<int>(incoming_.size()), MPI_UINT64_T, peer_, tag,
                    comm_, &listening_));
}

void Line::check(int result) const {
    if (result == MPI_SUCCESS) [[likely]]
        return;
    try {
        throw_mpi_error(result, fmt::format("talking to rank {}", peer_).c_str());
    } catch (const Error& error) {
        throw StrandedError(error);
    }
}

}  // namespace railgauge
