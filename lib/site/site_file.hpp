// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace railgauge {

/// The text of a site file. At most a little more than parse_site accepts is read.
/// @throws Error(usage) when it is no regular file or cannot be read
std::string read_site_text(const std::filesystem::path& path);

}  // namespace railgauge
