// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "record/hdf5.hpp"

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

}  // namespace railgauge::hdf5
