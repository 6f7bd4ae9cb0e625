// SPDX-License-Identifier: Apache-2.0
// exchange BYTES ROUNDS: two ranks send each other messages at once; rank 0 prints bytes per second
// of one direction.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <mpi.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int bytes = std::atoi(argv[1]);
    const int rounds = std::atoi(argv[2]);
    std::vector<char> sent(bytes), received(bytes);
    const auto exchange = [&] {
        MPI_Sendrecv(sent.data(), bytes, MPI_CHAR, 1 - rank, 0, received.data(), bytes, MPI_CHAR,
                     1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    exchange();  // connects, and spends the shaper's burst
    const double begin = MPI_Wtime();
    for (int round = 0; round < rounds; ++round)
        exchange();
    const double seconds = MPI_Wtime() - begin;
    if (rank == 0) std::printf("%.0f\n", 1.0 * bytes * rounds / seconds);
    MPI_Finalize();
}
