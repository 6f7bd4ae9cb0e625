// SPDX-License-Identifier: Apache-2.0
#include "record/parts_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

bool is_finished_file(std::string_view name) {
    return name == "header.h5" || case_of_part(name).has_value();
}

bool is_leftover(std::string_view name) {
    constexpr std::string_view unfinished = ".tmp";
    const bool is_unfinished = name.ends_with(unfinished);
    if (is_unfinished) name.remove_suffix(unfinished.size());
    return name == "expired.json" || (is_unfinished && is_finished_file(name));
}

std::vector<std::string> file_names(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        names.push_back(entry->path().filename().native());
    }
    if (error) {
        throw Error(ExitCode::library, fmt::format("cannot list '{}'", folder.native()),
                    error.message(), "check the permissions or choose another --out");
    }
    return names;
}

/// Removes the files of `folder` whose name `selects`.
template <class Predicate>
void remove_files(const std::filesystem::path& folder, Predicate selects) {
    for (const std::string& name : file_names(folder)) {
        if (!selects(name)) continue;
        const std::filesystem::path path = folder / name;
        check_errno(::unlink(path.c_str()), "removing", path);
    }
}

RunPaths create_folder(RunPaths paths) {
    const std::filesystem::path folder = paths.folder();
    if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
        check_errno(-1, "creating folder", folder);
    }
    return paths;
}

}  // namespace

PartsFolder::PartsFolder(const RunPaths& paths)
    : paths_(create_folder(paths)), lock_(paths_.lock()) {}

PartsFolder::~PartsFolder() {
    try {
        if (has_run()) return;
    } catch (const Error&) {
        return;
    }
    ::unlink(paths_.lock().c_str());
    ::rmdir(paths_.folder().c_str());
}

bool PartsFolder::has_run() const {
    const std::vector<std::string> names = file_names(paths_.folder());
    return std::any_of(names.begin(), names.end(), is_finished_file);
}

void PartsFolder::clear() const {
    remove_files(paths_.folder(),
                 [](std::string_view name) { return is_finished_file(name) || is_leftover(name); });
}

void PartsFolder::remove_leftovers() const {
    remove_files(paths_.folder(), is_leftover);
}

}  // namespace railgauge
