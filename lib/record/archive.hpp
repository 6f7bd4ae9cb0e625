// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include <hdf5.h>

namespace railgauge {

/// Most that a run keeps of what programs put into its archive folder (docs/run-file.md,
/// /archive).
inline constexpr std::uint64_t most_archive_bytes = std::uint64_t{16} << 20;  ///< of one file
inline constexpr std::size_t most_archive_files = 16;

/// Letters, digits, '.', '_' and '-' of ASCII, with no '.' at the beginning.
bool is_archive_name(std::string_view name);

/// Copies the files of `folder` to `/archive/<name>` of a run; says which it leaves out, and why.
/// @throws Error(library) when the run cannot be written
void write_archive(hid_t run, const std::filesystem::path& folder);

/// Removes the files that write_archive copies, and the folder when nothing else is in it.
/// @throws Error(library)
void remove_archive(const std::filesystem::path& folder);

}  // namespace railgauge
