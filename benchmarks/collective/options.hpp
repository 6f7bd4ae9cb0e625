// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace railgauge {

/// What railgauge-collective measures: the axes of its sweep.
struct CollectiveOptions {
    std::string backend = "mpi";
    std::string memory = "host";
    std::vector<std::string> operations{"all_reduce"};
    std::string sizes = "8:16MiB:2x";
    std::vector<std::string> types{"float32"};
    std::vector<std::string> reductions{"sum"};
    std::string place = "out";
    int root = 0;

    void add_to(CLI::App& app);
};

}  // namespace railgauge
