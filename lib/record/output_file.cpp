// SPDX-License-Identifier: Apache-2.0
#include "record/output_file.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <utility>

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "record/run_paths.hpp"

namespace railgauge {
namespace {

/// Drops the first `bytes` of `pieces`.
std::span<iovec> after(std::span<iovec> pieces, std::size_t bytes) {
    while (!pieces.empty() && bytes >= pieces.front().iov_len) {
        bytes -= pieces.front().iov_len;
        pieces = pieces.subspan(1);
    }
    if (bytes > 0) {
        pieces.front().iov_base = static_cast<std::byte*>(pieces.front().iov_base) + bytes;
        pieces.front().iov_len -= bytes;
    }
    return pieces;
}

}  // namespace

UnfinishedFile::UnfinishedFile(std::filesystem::path path)
    : path_(std::move(path)),
      temporary_(path_.native() + std::string(unfinished_suffix)),
      file_(check_errno(::open(temporary_.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0644),
                        "creating", temporary_)) {}

UnfinishedFile::~UnfinishedFile() {
    if (!is_named_) ::unlink(temporary_.c_str());
}

void UnfinishedFile::append(const std::filesystem::path& original) {
    constexpr std::size_t most_at_once = std::size_t{1} << 30;
    const FileDescriptor from(
        check_errno(::open(original.c_str(), O_RDONLY | O_CLOEXEC), "opening", original));
    ssize_t copied = 0;
    do {
        copied = ::sendfile(file_.get(), from.get(), nullptr, most_at_once);
        check_errno(copied < 0 ? -1 : 0, "writing", temporary_);
    } while (copied > 0);
}

void UnfinishedFile::write(std::uint64_t offset, std::span<iovec> pieces) {
    while (!pieces.empty()) {
        const auto count = static_cast<int>(std::min<std::size_t>(pieces.size(), IOV_MAX));
        const ssize_t written =
            ::pwritev(file_.get(), pieces.data(), count, static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        check_errno(written < 0 ? -1 : 0, "writing", temporary_);
        offset += static_cast<std::uint64_t>(written);
        pieces = after(pieces, static_cast<std::size_t>(written));
    }
}

void UnfinishedFile::reserve() {
    struct stat status {};
    check_errno(::fstat(file_.get(), &status), "writing", temporary_);
    int result = 0;
    do {
        result = ::fallocate(file_.get(), 0, 0, status.st_size);
    } while (result != 0 && errno == EINTR);
    const bool is_known = result == 0 || (errno != EOPNOTSUPP && errno != ENOSYS);
    if (is_known) check_errno(result, "writing", temporary_);
}

void UnfinishedFile::close() {
    if (!file_) return;
    // Network file systems report a full disk or quota only when a file is closed.
    check_errno(::close(file_.release()), "writing", temporary_);
}

void UnfinishedFile::commit() {
    close();
    check_errno(::rename(temporary_.c_str(), path_.c_str()), "renaming to", path_);
    is_named_ = true;
}

OutputFile::OutputFile(std::filesystem::path path)
    : disk_(std::move(path)), latched_{.descriptor = disk_.descriptor(), .on_write = {}} {
    const hdf5::PropertyList access = hdf5::latched_access(latched_);
    const char* name = disk_.temporary_path().c_str();
    file_.reset(
        hdf5::check(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), -1, "create", name));
}

OutputFile::OutputFile(std::filesystem::path path, const std::filesystem::path& original,
                       std::function<void()> on_write)
    : disk_(std::move(path)),
      latched_{.descriptor = disk_.descriptor(), .on_write = std::move(on_write)} {
    disk_.append(original);
    const hdf5::PropertyList access = hdf5::latched_access(latched_);
    const char* name = disk_.temporary_path().c_str();
    file_.reset(hdf5::check(H5Fopen(name, H5F_ACC_RDWR, access.get()), -1, "open the copy", name));
}

void OutputFile::check_disk() const {
    if (latched_.error == 0) return;
    errno = latched_.error;
    check_errno(-1, "writing", disk_.temporary_path());
}

void OutputFile::close_file() {
    if (file_ && H5Fclose(file_.release()) < 0) {
        hdf5::throw_failure(-1, "close", disk_.temporary_path().native());
    }
    check_disk();
}

const std::filesystem::path& OutputFile::hand_over() {
    close_file();
    disk_.reserve();
    disk_.close();
    return disk_.temporary_path();
}

void OutputFile::commit() {
    close_file();
    disk_.commit();
}

}  // namespace railgauge
