// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pairs/served_options.hpp"
#include "transport/fabric_options.hpp"

namespace CLI {
class App;
}

namespace railgauge {

/// What railgauge-pairs measures: the axes of its sweep.
struct PairsOptions {
    std::string backend = "mpi";
    std::vector<std::string> memories;  ///< empty = what the transport works on: host, or cuda
    std::vector<std::string> patterns{"all-pairs"};
    std::vector<std::string> operations{"bandwidth"};
    std::vector<std::string> verbs;       ///< empty = write where the transport has it, else send
    std::vector<std::string> directions;  ///< empty = both; of pattern served that of the verb
    std::string sizes = "4KiB,64KiB,1MiB,4MiB,16MiB,64MiB";
    std::vector<int> depths{1, 16};
    std::vector<int> queues{1};
    int signal_interval = 0;  ///< 0 = by depth
    std::string rails = "at-once";
    std::string pair;     ///< "A:B" of the pattern one-pair
    std::string between;  ///< "A:B" of the pattern bipartite: two groups of the site file
    int repeats = 1;
    std::uint64_t seed = 1;
    ServedOptions served;
    FabricOptions fabric;

    void add_to(CLI::App& app);

    /// What the transport cannot do. @throws Error(usage)
    void validate() const;

    /// As given, or as the transport has it.
    std::vector<std::string> memory_names() const;
    std::vector<std::string> verb_names() const;

    /// Messages of a queue for which one completion is asked for: as given, at most a window.
    int signal_interval_of(int depth) const;

    bool needs_gpu() const;
};

}  // namespace railgauge
