// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <nccl.h>

#include "memory/memory_space.hpp"

namespace railgauge {

// A buffer is freed before its communicator is closed; one that is left when the communicator was
// aborted is only freed.

/// GPU memory that `comm` knows: ncclMemAlloc and ncclCommRegister.
/// @throws Error(library) when NCCL refuses
Buffer allocate_registered(ncclComm_t comm, std::size_t size);

/// GPU memory at the same place of every rank's symmetric window. Collective over `comm`.
/// @throws Error(library) when NCCL refuses
Buffer allocate_symmetric(ncclComm_t comm, std::size_t size);

}  // namespace railgauge
