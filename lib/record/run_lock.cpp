// SPDX-License-Identifier: Apache-2.0
#include "record/run_lock.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/log.hpp"

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

}  // namespace railgauge
