// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace railgauge {

struct PairsOptions;

/// Of pattern served: the receiver outside the job.
struct ServedOptions {
    std::string server;           ///< HOST or HOST:PORT
    std::string token_file;       ///< what both sides prove to know
    std::string memory = "host";  ///< where its buffers live

    void add_to(CLI::App& app);
};

/// What cannot be measured with a receiver that only answers, and options without a use.
/// @throws Error(usage)
void require_served_use(const PairsOptions& options);

/// Whether the options ask for pattern served.
bool is_served(const PairsOptions& options);

}  // namespace railgauge
