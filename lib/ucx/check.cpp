// SPDX-License-Identifier: Apache-2.0
#include "ucx/check.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge {

const char* remedy_for(ucs_status_t status) noexcept {
    switch (status) {
        case UCS_ERR_CONNECTION_RESET:
        case UCS_ERR_ENDPOINT_TIMEOUT:
        case UCS_ERR_TIMED_OUT:
            return "see whether that process still runs, and whether both NICs have a link";
        case UCS_ERR_UNREACHABLE:
            return "name transports and devices that both sides have (--ucx-tls, --device)";
        case UCS_ERR_NO_MEMORY: return "free memory, or raise the limit of locked memory";
        default: return "start again with UCX_LOG_LEVEL=info to see why";
    }
}

void throw_ucx_error(ucs_status_t status, const std::string& doing) {
    throw Error(ExitCode::library, fmt::format("{} failed", doing),
                fmt::format("UCX says: {}", ucs_status_string(status)), remedy_for(status));
}

}  // namespace railgauge
