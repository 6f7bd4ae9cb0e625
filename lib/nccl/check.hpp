// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nccl.h>

namespace railgauge {

/// Throws Error(library) naming `doing` and NCCL's texts unless `result` is ncclSuccess. Inline
/// test, so that it may stand after a call in a timed loop; the throwing path is out of line.
[[noreturn]] void throw_nccl_error(ncclResult_t result, const char* doing, ncclComm_t comm);

inline void check_nccl(ncclResult_t result, const char* doing, ncclComm_t comm = nullptr) {
    if (result != ncclSuccess) [[unlikely]]
        throw_nccl_error(result, doing, comm);
}

/// For calls on communicators that do not block: going on is no error, either.
inline void check_nccl_started(ncclResult_t result, const char* doing, ncclComm_t comm = nullptr) {
    if (result != ncclSuccess && result != ncclInProgress) [[unlikely]]
        throw_nccl_error(result, doing, comm);
}

/// For destructors: logs instead of throwing.
void log_nccl_error(ncclResult_t result, const char* doing) noexcept;

}  // namespace railgauge
