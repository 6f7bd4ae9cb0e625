// SPDX-License-Identifier: Apache-2.0
#include "mpi/team.hpp"

#include <array>

#include <fmt/format.h>

#include "mpi/check.hpp"
#include "mpi/gather_texts.hpp"

namespace railgauge {
namespace {

constexpr const char* agreeing = "agreeing on a stage";

}  // namespace

MpiTeam::MpiTeam(MPI_Comm comm, std::string host) : comm_(comm), host_(std::move(host)) {
    check_mpi(MPI_Comm_rank(comm_, &rank_), "asking for a rank");
    check_mpi(MPI_Comm_size(comm_, &size_), "asking for a size");
}

void MpiTeam::barrier() {
    check_mpi(MPI_Barrier(comm_), "waiting in a barrier");
}

double MpiTeam::max(double value) {
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm_),
              "agreeing on a value");
    return value;
}

std::int64_t MpiTeam::max(std::int64_t value) {
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, comm_),
              "agreeing on a time");
    return value;
}

CheckTally MpiTeam::agree(const std::optional<Failure>& failure, CheckTally tally) {
    std::array<std::uint64_t, 3> sums{failure ? 1u : 0u, tally.checked, tally.wrong};
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_UINT64_T,
                            MPI_SUM, comm_),
              agreeing);
    if (sums[0] == 0) return {sums[1], sums[2]};
    int first = failure ? rank_ : size_;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm_), agreeing);
    auto code = static_cast<int>(failure ? failure->code : ExitCode::done);
    check_mpi(MPI_Bcast(&code, 1, MPI_INT, first, comm_), agreeing);
    std::string text = broadcast_text(comm_, first, failure ? failure->text : std::string());
    if (sums[0] < static_cast<std::uint64_t>(size_)) {
        const std::string host = broadcast_text(comm_, first, host_);
        text = fmt::format("rank {} on {}: {}", first, host, text);
    }
    throw AgreedError(static_cast<ExitCode>(code), text);
}

}  // namespace railgauge
