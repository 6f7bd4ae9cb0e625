// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "collectives/collectives.hpp"
#include "collectives/count_matrix.hpp"

namespace CLI {
class App;
}

namespace railgauge {

/// What railgauge-collective measures: the axes of its sweep.
struct CollectiveOptions {
    std::string backend = "mpi";
    std::string memory;  ///< empty = what the backend works on: host, or cuda
    std::vector<std::string> operations{"all_reduce"};
    std::string sizes = "8:16MiB:2x";
    std::vector<std::string> types{"float32"};
    std::vector<std::string> reductions{"sum"};
    std::string place = "out";
    int root = 0;
    double spread_percent = 50;    ///< of alltoallv
    std::uint64_t seed = 1;        ///< of alltoallv
    std::filesystem::path matrix;  ///< of alltoallv; empty = seeded
    std::string split = "none";
    std::string groups = "together";
    std::vector<std::string> buffers{"plain"};
    LaunchManner manner;
    NcclOptions nccl;

    void add_to(CLI::App& app);

    /// @throws Error(usage) when options have no use with the backend
    void validate() const;

    /// "host", ..., as given or as the backend has it.
    std::string memory_name() const;

    bool needs_gpu() const;

    /// How alltoallv is spread, in words.
    std::string spread() const;

    /// @throws Error(usage) when --matrix cannot be read or is for another number of ranks
    Weights weights(int ranks) const;

  private:
    void add_what(CLI::App& group);
    void add_spread(CLI::App& group);
    void add_manner(CLI::App& group);
    void add_nccl(CLI::App& group);
};

}  // namespace railgauge
