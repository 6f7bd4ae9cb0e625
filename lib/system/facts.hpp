// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace railgauge {

/// What a program knows of its libraries and adds to the facts.
struct LibraryVersion {
    std::string library;  ///< "mpi_library", "hdf5_version"
    std::string version;
};

/// Facts of this node as a JSON object (docs/run-file.md, /nodes). What cannot be read is absent.
std::string node_facts_json(const std::string& host, const std::string& boot_id,
                            const std::vector<LibraryVersion>& libraries);

/// CPUs this process may run on, as "0-3,8".
std::string allowed_cpus();

/// NUMA node that holds all CPUs this process may run on; -1 when they span several or it cannot be
/// told.
int allowed_numa_node();

}  // namespace railgauge
