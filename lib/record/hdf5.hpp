// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <hdf5.h>

#include "base/destroyer.hpp"

/// The C library of HDF5 with owners for its handles and errors in the project's words.
namespace railgauge::hdf5 {

using File = UniqueId<hid_t, &H5Fclose>;
using Group = UniqueId<hid_t, &H5Gclose>;
using Dataset = UniqueId<hid_t, &H5Dclose>;
using Attribute = UniqueId<hid_t, &H5Aclose>;
using Datatype = UniqueId<hid_t, &H5Tclose>;
using Dataspace = UniqueId<hid_t, &H5Sclose>;
using PropertyList = UniqueId<hid_t, &H5Pclose>;

/// The quoted path of the file that the object `within` is in, for messages.
std::string file_of(hid_t within);

/// Throws Error(library) "cannot <verb> <what> in '<file>' (<HDF5's innermost reason>); ...".
[[noreturn]] void throw_failure(hid_t within, std::string_view verb, std::string_view what);

/// Throws Error(library) "<what> in '<file>' is damaged (<why>); ...".
[[noreturn]] void throw_damaged(hid_t within, std::string_view what, std::string_view why);

/// `result`, unless it is negative. `within` is any object of the file concerned:
///
///     const hid_t group = check(H5Gopen2(file, name, H5P_DEFAULT), file, "open", name);
template <class Result>
Result check(Result result, hid_t within, std::string_view verb, std::string_view what) {
    if (result < 0) [[unlikely]]
        throw_failure(within, verb, what);
    return result;
}

/// Silences HDF5's own printing; every user of the library calls it first.
void prepare_library();

/// Version of the HDF5 library in use, as "1.10.8".
std::string library_version();

/// How files are opened: formats every HDF5 since 1.8 reads, whose metadata carry checksums, and
/// no lock of HDF5's own (it fails on file systems without flock).
PropertyList file_access();

/// Whether the file says that it is HDF5.
bool is_hdf5(const std::filesystem::path& path);

/// @throws Error(library) when it cannot be opened or is no complete HDF5 file
File open_for_reading(const std::filesystem::path& path);

Group create_group(hid_t parent, const std::string& name);
Group open_group(hid_t parent, const std::string& name);

/// Whether `name` is a member of `parent` that lies in the same file (no link to elsewhere).
bool has_member(hid_t parent, const std::string& name);

}  // namespace railgauge::hdf5
