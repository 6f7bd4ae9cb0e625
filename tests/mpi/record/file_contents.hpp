// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace railgauge::test {

/// Everything in an HDF5 file by its name ("samples/0000/bytes", "samples/0000/bytes@unit"): kind,
/// type, extent, storage and values, as text or bytes that are equal where those are.
std::map<std::string, std::string> file_contents(const std::filesystem::path& path);

}  // namespace railgauge::test
