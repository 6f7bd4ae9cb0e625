// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

/// A site file without a mistake: groups gpu (rails 0 and 1), storage (plane A) and compute.
std::string valid_site();

/// `valid_site()` with the first `from` replaced by `to`.
std::string changed_site(std::string_view from, std::string_view to);

/// The files of examples/sites.
std::vector<std::filesystem::path> example_sites();

std::string read_file(const std::filesystem::path& path);

}  // namespace railgauge
