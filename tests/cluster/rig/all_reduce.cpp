// SPDX-License-Identifier: Apache-2.0
// Sums ranks over all ranks in messages large enough to fill rails; prints one line a rank.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <mpi.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<int> values(1 << 18, rank);
    MPI_Allreduce(MPI_IN_PLACE, values.data(), 1 << 18, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    char host[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    MPI_Get_processor_name(host, &length);
    std::printf("%s %s %d\n", host, std::getenv("RAILGAUGE_NIC"), values.back());
    MPI_Finalize();
}
