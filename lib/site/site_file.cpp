// SPDX-License-Identifier: Apache-2.0
#include "site/site_file.hpp"

#include <fstream>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "site/limits.hpp"

namespace railgauge {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
    throw Error(ExitCode::usage,
                fmt::format("the site file '{}' cannot be read", printable_utf8(path.native())),
                why, "check the path; a job reads it on rank 0's node");
}

}  // namespace

std::string read_site_text(const std::filesystem::path& path) {
    std::error_code error;
    // A pipe would wait for its writer, and a device has no end.
    if (!std::filesystem::is_regular_file(path, error)) {
        refuse(path, error ? error.message() : "it is no regular file");
    }
    std::ifstream file(path, std::ios::binary);
    std::string text(site::most_file_bytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad() || (file.fail() && !file.eof())) refuse(path, "reading it failed");
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

}  // namespace railgauge
