// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace railgauge {

/// Owner of a communicator made by duplication or splitting.
///
/// Freeing waits for peers, so the clean path is close(), called by all members; one that is still
/// open when it is destroyed is left, since freeing it during an error could hang.
class Communicator {
  public:
    Communicator() = default;
    static Communicator duplicate(MPI_Comm parent);

    /// Members with the same colour form a group, ordered by rank; a negative colour gives an empty
    /// object.
    static Communicator split(MPI_Comm parent, int color);

    Communicator(Communicator&& other) noexcept;
    Communicator& operator=(Communicator&& other) noexcept;
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    ~Communicator() = default;

    MPI_Comm get() const noexcept { return comm_; }
    explicit operator bool() const noexcept { return comm_ != MPI_COMM_NULL; }
    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }

    void close();

  private:
    explicit Communicator(MPI_Comm comm);

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = -1;
    int size_ = 0;
};

}  // namespace railgauge
