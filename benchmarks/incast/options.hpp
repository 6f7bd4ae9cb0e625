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

/// What railgauge-incast measures: the axes of its sweep.
struct IncastOptions {
    std::string backend = "mpi";
    std::string memory = "host";
    std::string verb;  ///< "send", "write"; empty = what the backend is known for
    std::vector<std::string> senders{"1", "2", "4", "8", "all"};
    std::vector<int> queues{1, 8};
    std::string sizes = "64KiB,1MiB";
    std::vector<int> depths{16};
    std::string receivers = "one";      ///< "one", "in-turn", "at-once"
    std::vector<std::string> receiver;  ///< ranks or hosts; empty = chosen
    std::string spread = "rail";        ///< "rail", "nodes", "all"
    bool ramp = false;
    std::string victim = "none";  ///< "none", "same-receiver", "same-leaf", "other"
    std::string victim_bytes = "8";
    int rows_per_second = 10'000;  ///< of a sender, at most; 0 = a row for every request
    FabricOptions fabric;

    void add_to(CLI::App& app);

    /// "send" or "write", as given or as the backend has it.
    /// @throws Error(usage) when the backend has no such verb
    std::string verb_name() const;

    bool needs_gpu() const;
};

}  // namespace railgauge
