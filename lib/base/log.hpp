// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace railgauge {

/// Sets the program's name and this process' rank (-1 before it is known), both shown in every
/// line.
void set_log_identity(std::string_view program, int rank);

/// Writes "<program>: <text>" to stderr as one write, on whichever rank calls it; rank shown.
void log_text_here(std::string_view text);

/// As log_text_here, but only rank 0 (or a process that has no rank yet) speaks.
void log_text_root(std::string_view text);

template <class... Args>
void log_here(fmt::format_string<Args...> format, Args&&... args) {
    log_text_here(fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void log_root(fmt::format_string<Args...> format, Args&&... args) {
    log_text_root(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace railgauge
