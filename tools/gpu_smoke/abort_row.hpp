// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "row.hpp"

namespace railgauge::smoke {

/// Aborts what hangs in the way of a rank's watchdog, from another thread than the one that waits.
/// Does not wait for ever for that.
Row abort_live(const std::string& name, const std::string& remark);

}  // namespace railgauge::smoke
