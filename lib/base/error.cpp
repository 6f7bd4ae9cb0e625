// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace railgauge {

Error::Error(ExitCode code, const std::string& problem, const std::string& why,
             const std::string& remedy)
    : Error(code, fmt::format("{} ({}); {}", problem, why, remedy)) {}

Error::Error(ExitCode code, const std::string& text)
    : std::runtime_error(one_line(text)), code_(code) {}

std::string one_line(const std::string& text) {
    std::string line = text;
    for (char& c : line) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) c = ' ';
    }
    return line;
}

int check_errno(int result, const std::string& doing, const std::string& path) {
    if (result >= 0) return result;
    const int error = errno;
    const char* remedy = error == ENOSPC ? "free space there or choose another folder with --out"
                         : error == EACCES
                             ? "check the permissions or choose another folder with --out"
                             : "check the path";
    throw Error(ExitCode::library, fmt::format("{} '{}' failed", doing, path),
                std::generic_category().message(error), remedy);
}

}  // namespace railgauge
