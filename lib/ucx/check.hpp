// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ucp/api/ucp.h>

namespace railgauge {

/// What can be done about a failed operation.
const char* remedy_for(ucs_status_t status) noexcept;

/// Throws Error(library) naming `doing` and UCX's text of `status`.
[[noreturn]] void throw_ucx_error(ucs_status_t status, const std::string& doing);

inline void check_ucx(ucs_status_t status, const char* doing) {
    if (status != UCS_OK) [[unlikely]]
        throw_ucx_error(status, doing);
}

}  // namespace railgauge
