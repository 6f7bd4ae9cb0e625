// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <infiniband/verbs.h>

#include "base/error.hpp"
#include "verbs/port.hpp"

namespace railgauge {

/// A message that a device gave up.
struct FailedWork {
    std::string_view verb;  ///< "write"
    int queue = 0;
    std::uint32_t queue_pair = 0;
    ibv_wc_status status = IBV_WC_GENERAL_ERR;
    std::uint32_t vendor_code = 0;
};

/// Error(library) that names the message, the two ends and the status, and says what to do.
Error describe_failure(const FailedWork& work, std::string_view peer, std::string_view port_name,
                       const PathOptions& options);

}  // namespace railgauge
