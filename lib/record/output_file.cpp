// SPDX-License-Identifier: Apache-2.0
#include "record/output_file.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"

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

hdf5::File create_file(const std::filesystem::path& path) {
    const hdf5::PropertyList access = hdf5::file_access();
    return hdf5::File(hdf5::check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
                                  -1, "create", path.native()));
}

hdf5::File open_copy(const std::filesystem::path& path, const std::filesystem::path& original) {
    std::error_code error;
    std::filesystem::copy_file(original, path, std::filesystem::copy_options::overwrite_existing,
                               error);
    if (error) {
        throw Error(ExitCode::library,
                    fmt::format("cannot copy '{}' to '{}'", original.native(), path.native()),
                    error.message(), "check the free space and the permissions there");
    }
    const hdf5::PropertyList access = hdf5::file_access();
    return hdf5::File(
        hdf5::check(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), -1, "open", path.native()));
}

int descriptor_of(const hdf5::File& file) {
    void* handle = nullptr;
    hdf5::check(H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &handle), file.get(), "find",
                "the descriptor");
    return *static_cast<int*>(handle);
}

}  // namespace

std::filesystem::path temporary_name(const std::filesystem::path& path) {
    return path.native() + ".tmp";
}

OutputFile::OutputFile(std::filesystem::path path) : OutputFile(std::move(path), nullptr) {}

OutputFile::OutputFile(std::filesystem::path path, const std::filesystem::path& original)
    : OutputFile(std::move(path), &original) {}

OutputFile::OutputFile(std::filesystem::path path, const std::filesystem::path* original)
    : path_(std::move(path)), temporary_(temporary_name(path_)) {
    // Tells a missing folder, a read-only one and a full disk apart, which HDF5 does not.
    FileDescriptor(
        check_errno(::open(temporary_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644),
                    "creating", temporary_));
    try {
        file_ = original == nullptr ? create_file(temporary_) : open_copy(temporary_, *original);
        descriptor_ = descriptor_of(file_);
    } catch (...) {
        std::remove(temporary_.c_str());
        throw;
    }
}

OutputFile::~OutputFile() {
    if (!file_) return;
    const FileDescriptor memory(::memfd_create("abandoned", MFD_CLOEXEC));
    if (memory) ::dup3(memory.get(), descriptor_, O_CLOEXEC);
    file_.reset();
    std::remove(temporary_.c_str());
}

void OutputFile::write_raw(std::uint64_t offset, std::span<iovec> pieces) {
    while (!pieces.empty()) {
        const auto count = static_cast<int>(std::min<std::size_t>(pieces.size(), IOV_MAX));
        const ssize_t written =
            ::pwritev(descriptor_, pieces.data(), count, static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        check_errno(written < 0 ? -1 : 0, "writing", temporary_);
        offset += static_cast<std::uint64_t>(written);
        pieces = after(pieces, static_cast<std::size_t>(written));
    }
}

/// Brings everything to the kernel while the file can still be abandoned safely. Network file
/// systems report a full disk or quota only on close, so one is closed here.
void OutputFile::flush() {
    hdf5::check(H5Fflush(id(), H5F_SCOPE_LOCAL), id(), "write", "the tables");
    FileDescriptor again(
        check_errno(::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0), "writing", temporary_));
    check_errno(::close(again.release()), "writing", temporary_);
}

void OutputFile::commit() {
    flush();
    if (H5Fclose(file_.release()) < 0) {
        std::remove(temporary_.c_str());
        hdf5::throw_failure(-1, "close", temporary_.native());
    }
    check_errno(::rename(temporary_.c_str(), path_.c_str()), "renaming to", path_);
}

}  // namespace railgauge
