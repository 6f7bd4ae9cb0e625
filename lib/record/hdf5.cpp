// SPDX-License-Identifier: Apache-2.0
#include "record/hdf5.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge::hdf5 {

void prepare_library() {
    static const herr_t silenced = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    static_cast<void>(silenced);
}

PropertyList file_access() {
    prepare_library();
    constexpr const char* what = "the file access";
    PropertyList list(check(H5Pcreate(H5P_FILE_ACCESS), -1, "prepare", what));
    check(H5Pset_libver_bounds(list.get(), H5F_LIBVER_V18, H5F_LIBVER_V18), -1, "prepare", what);
    check(H5Pset_file_locking(list.get(), false, true), -1, "prepare", what);
    return list;
}

bool is_hdf5(const std::filesystem::path& path) {
    prepare_library();
    return H5Fis_hdf5(path.c_str()) > 0;
}

File open_for_reading(const std::filesystem::path& path) {
    const PropertyList access = file_access();
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get());
    if (file >= 0) return File(file);
    H5Eclear2(H5E_DEFAULT);
    throw Error(ExitCode::library, fmt::format("cannot open '{}'", path.native()),
                "it is missing, unreadable or no complete HDF5 file",
                "restore it from a copy or measure again with --overwrite");
}

Group create_group(hid_t parent, const std::string& name) {
    return Group(check(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       parent, "create group", name));
}

Group open_group(hid_t parent, const std::string& name) {
    return Group(check(H5Gopen2(parent, name.c_str(), H5P_DEFAULT), parent, "open group", name));
}

bool has_member(hid_t parent, const std::string& name) {
    if (check(H5Lexists(parent, name.c_str(), H5P_DEFAULT), parent, "look for", name) == 0) {
        return false;
    }
    H5L_info_t info{};
    check(H5Lget_info(parent, name.c_str(), &info, H5P_DEFAULT), parent, "look at", name);
    return info.type == H5L_TYPE_HARD;
}

}  // namespace railgauge::hdf5
