// SPDX-License-Identifier: Apache-2.0
#include "mpi/communicator.hpp"

#include <utility>

#include "mpi/check.hpp"

namespace railgauge {

Communicator::Communicator(MPI_Comm comm) : comm_(comm) {
    if (comm_ == MPI_COMM_NULL) return;
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    check_mpi(MPI_Comm_rank(comm_, &rank_), "asking for a rank");
    check_mpi(MPI_Comm_size(comm_, &size_), "asking for a size");
}

Communicator Communicator::duplicate(MPI_Comm parent) {
    MPI_Comm comm = MPI_COMM_NULL;
    check_mpi(MPI_Comm_dup(parent, &comm), "duplicating a communicator");
    return Communicator(comm);
}

Communicator Communicator::split(MPI_Comm parent, int color) {
    MPI_Comm comm = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split(parent, color < 0 ? MPI_UNDEFINED : color, 0, &comm),
              "splitting a communicator");
    return Communicator(comm);
}

Communicator::Communicator(Communicator&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)), rank_(other.rank_), size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
    std::swap(comm_, other.comm_);
    std::swap(rank_, other.rank_);
    std::swap(size_, other.size_);
    return *this;
}

void Communicator::close() {
    if (comm_ != MPI_COMM_NULL) check_mpi(MPI_Comm_free(&comm_), "freeing a communicator");
}

}  // namespace railgauge
