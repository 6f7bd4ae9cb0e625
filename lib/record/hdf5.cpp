// SPDX-License-Identifier: Apache-2.0
#include "record/hdf5.hpp"

#include <string>

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge::hdf5 {
namespace {

herr_t take_innermost(unsigned depth, const H5E_error2_t* entry, void* reason) {
    if (depth == 0) *static_cast<std::string*>(reason) = entry->desc;
    return 0;
}

/// HDF5 wraps errno's text in many words: "... errno = 28, error message = 'No space left', ...".
std::string shortened(const std::string& reason) {
    constexpr std::string_view before = "error message = '";
    const auto begin = reason.find(before);
    if (begin == std::string::npos) return reason;
    const auto text = begin + before.size();
    return reason.substr(text, reason.find('\'', text) - text);
}

}  // namespace

std::string file_of(hid_t within) {
    const ssize_t length = within < 0 ? -1 : H5Fget_name(within, nullptr, 0);
    if (length <= 0) return "the file";
    std::string name(static_cast<std::size_t>(length), '\0');
    H5Fget_name(within, name.data(), name.size() + 1);
    return fmt::format("'{}'", name);
}

void throw_failure(hid_t within, std::string_view verb, std::string_view what) {
    std::string reason = "HDF5 gives no reason";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, &take_innermost, &reason);
    H5Eclear2(H5E_DEFAULT);
    throw Error(ExitCode::library, fmt::format("cannot {} {} in {}", verb, what, file_of(within)),
                shortened(reason), "check the file, the free space and the permissions there");
}

void throw_damaged(hid_t within, std::string_view what, std::string_view why) {
    throw Error(ExitCode::library, fmt::format("{} in {} is damaged", what, file_of(within)),
                std::string(why), "restore it from a copy or measure again with --overwrite");
}

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

std::string library_version() {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    if (H5get_libversion(&major, &minor, &release) < 0) return "unknown";
    return fmt::format("{}.{}.{}", major, minor, release);
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
