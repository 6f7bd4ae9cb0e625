// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ucx/handles.hpp"

namespace railgauge {

/// One variable of UCX's configuration, which overrides the environment's.
struct UcxSetting {
    std::string name;  ///< without UCX_
    std::string value;
    std::string flag;  ///< of ours, for errors
};

/// A context for tagged messages and remote memory, and the one worker that everything of this
/// process runs on. For one thread.
struct UcxLibrary {
    UcxContext context;
    UcxWorker worker;
};

/// @throws Error(usage) when UCX refuses a setting, or has no transport and device with them
UcxLibrary open_ucx(std::span<const UcxSetting> settings);

bool reaches_gpu(ucp_context_h context);

/// @throws Error(library) when UCX cannot register it
UcxMemoryHandle map_memory(ucp_context_h context, void* data, std::size_t size,
                           ucs_memory_type_t type);

/// How the worker is reached; for another process' UcxEndpoint.
std::vector<std::byte> address_of(ucp_worker_h worker);

/// What another process needs to write and read the memory.
std::vector<std::byte> remote_key_of(ucp_context_h context, ucp_mem_h memory);

}  // namespace railgauge
