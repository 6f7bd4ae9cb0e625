// SPDX-License-Identifier: Apache-2.0
#include "record/parts_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "record/archive.hpp"

namespace railgauge {
namespace {

/// A job that ends removes the file: a lock on a name that is gone protects nothing.
bool still_named(int file, const std::filesystem::path& path) {
    struct stat held {};
    struct stat named {};
    return ::fstat(file, &held) == 0 && ::stat(path.c_str(), &named) == 0 &&
           held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

[[noreturn]] void throw_held(const std::filesystem::path& path) {
    throw Error(ExitCode::usage, fmt::format("'{}' is being written", path.parent_path().native()),
                "another job holds its lock", "wait until it ends or choose another --out");
}

bool is_finished_file(std::string_view name) {
    return name == RunPaths::header_name || case_of_part(name).has_value();
}

bool is_leftover(std::string_view name) {
    const bool is_unfinished = name.ends_with(unfinished_suffix);
    if (is_unfinished) name.remove_suffix(unfinished_suffix.size());
    return name == RunPaths::expired_name || (is_unfinished && is_finished_file(name));
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
    paths.make_parent();
    const std::filesystem::path folder = paths.folder();
    if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
        check_errno(-1, "creating folder", folder);
    }
    return paths;
}

}  // namespace

RunLock::RunLock(const std::filesystem::path& path)
    : file_(
          check_errno(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644), "creating", path)) {
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) == 0) {
        if (!still_named(file_.get(), path)) throw_held(path);
        return;
    }
    if (errno == EWOULDBLOCK) throw_held(path);
    log_root("'{}' cannot be locked ({}); make sure that no other job writes this run",
             path.native(), std::generic_category().message(errno));
}

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
    remove_archive(paths_.archive());
}

void PartsFolder::remove_leftovers() const {
    remove_files(paths_.folder(), is_leftover);
}

}  // namespace railgauge
