// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace railgauge {

/// Makes `path` hold `text` by renaming a finished file over it. False, with errno set, on failure.
/// @param mode permissions, e.g. 0600
bool replace_file(const std::filesystem::path& path, const std::string& text, unsigned mode);

}  // namespace railgauge
