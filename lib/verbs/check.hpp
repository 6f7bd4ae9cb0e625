// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace railgauge {

/// Throws Error(library): `doing` failed for the reason that `error` (errno's number) stands for.
[[noreturn]] void throw_verbs_error(int error, const std::string& doing, const std::string& remedy);

/// The process's limit of locked memory in words, for errors: "RLIMIT_MEMLOCK is 64 KiB".
std::string locked_memory_limit();

/// What to do where locked memory is short.
inline constexpr const char* locked_memory_remedy =
    "raise it: ulimit -l unlimited, LimitMEMLOCK=infinity of the service that starts ranks, or "
    "memlock in limits.conf; in a container the capability IPC_LOCK";

}  // namespace railgauge
