// SPDX-License-Identifier: Apache-2.0
#include "verbs/check.hpp"

#include <system_error>

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/error.hpp"
#include "base/units.hpp"

namespace railgauge {

void throw_verbs_error(int error, const std::string& doing, const std::string& remedy) {
    throw Error(ExitCode::library, fmt::format("{} failed", doing),
                std::generic_category().message(error), remedy);
}

std::string locked_memory_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return "RLIMIT_MEMLOCK cannot be read";
    if (limit.rlim_cur == RLIM_INFINITY) return "RLIMIT_MEMLOCK is unlimited";
    return fmt::format("RLIMIT_MEMLOCK is {}", format_bytes(limit.rlim_cur));
}

}  // namespace railgauge
