// SPDX-License-Identifier: Apache-2.0
#include "measure/progress.hpp"

#include <array>

namespace railgauge {

std::string_view to_text(Phase phase) {
    constexpr std::array<std::string_view, 11> names{
        "launch", "init",        "setup",  "prepare", "check_before", "warmup",
        "timed",  "check_after", "record", "between", "finalize"};
    return names.at(static_cast<std::size_t>(phase));
}

}  // namespace railgauge
