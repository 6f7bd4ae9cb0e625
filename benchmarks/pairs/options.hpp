// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transport/fabric_options.hpp"

namespace CLI {
class App;
}

namespace railgauge {

/// What railgauge-pairs measures: the axes of its sweep.
struct PairsOptions {
    std::string backend = "mpi";
    std::string memory;  ///< empty = what the transport works on: host, or cuda
    std::vector<std::string> patterns{"all-pairs"};
    std::vector<std::string> operations{"bandwidth"};
    std::vector<std::string> directions{"both"};
    std::string sizes = "4KiB,64KiB,1MiB,4MiB,16MiB,64MiB";
    std::vector<int> depths{1, 16};
    std::string rails = "at-once";
    std::string pair;  ///< "A:B" of the pattern one-pair
    int repeats = 1;
    std::uint64_t seed = 1;
    FabricOptions fabric;

    void add_to(CLI::App& app);

    /// "host", ..., as given or as the transport has it.
    std::string memory_name() const;

    bool needs_gpu() const;
};

}  // namespace railgauge
