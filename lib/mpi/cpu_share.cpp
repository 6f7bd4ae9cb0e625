// SPDX-License-Identifier: Apache-2.0
#include "mpi/cpu_share.hpp"

#include <sched.h>

#include "mpi/check.hpp"

namespace railgauge {

bool shares_cpus(MPI_Comm comm) {
    MPI_Comm node = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
              "grouping the ranks of a node");
    int ranks = 0;
    check_mpi(MPI_Comm_size(node, &ranks), "counting the ranks of a node");
    check_mpi(MPI_Comm_free(&node), "ungrouping the ranks of a node");
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 && ranks >= CPU_COUNT(&allowed);
}

}  // namespace railgauge
