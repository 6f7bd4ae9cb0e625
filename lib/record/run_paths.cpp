// SPDX-License-Identifier: Apache-2.0
#include "record/run_paths.hpp"

#include <charconv>

#include <fmt/format.h>

namespace railgauge {
namespace {

constexpr std::string_view part_suffix = ".h5";

}  // namespace

std::filesystem::path RunPaths::part(int case_id) const {
    return folder() / (case_group(case_id) + std::string(part_suffix));
}

void RunPaths::make_parent() const {
    std::error_code ignored;
    if (out_.has_parent_path()) std::filesystem::create_directories(out_.parent_path(), ignored);
}

std::string case_group(int case_id) {
    return fmt::format("{:04}", case_id);
}

std::optional<int> case_of_part(std::string_view file_name) {
    if (!file_name.ends_with(part_suffix)) return std::nullopt;
    file_name.remove_suffix(part_suffix.size());
    int id = -1;
    const char* const end = file_name.data() + file_name.size();
    const auto [rest, error] = std::from_chars(file_name.data(), end, id);
    // Only the one spelling that case_group gives: "+7" or "007" are not ours.
    if (error != std::errc{} || rest != end || id < 0 || case_group(id) != file_name) {
        return std::nullopt;
    }
    return id;
}

std::string node_group(const std::string& host) {
    if (host == ".") return "%2E";  // HDF5 takes "." for the parent group itself
    std::string name;
    for (const char c : host) {
        if (c == '/') {
            name += "%2F";
        } else {
            name += c;
        }
    }
    return name;
}

}  // namespace railgauge
