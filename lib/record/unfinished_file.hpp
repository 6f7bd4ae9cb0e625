// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include <sys/uio.h>

#include "base/file_descriptor.hpp"

namespace railgauge {

/// A file that gets its name when it is complete: written as "<path>.tmp", renamed by commit(),
/// removed by the destructor otherwise. All methods throw Error(library) naming the file.
class UnfinishedFile {
  public:
    explicit UnfinishedFile(std::filesystem::path path);
    ~UnfinishedFile();
    UnfinishedFile(const UnfinishedFile&) = delete;
    UnfinishedFile& operator=(const UnfinishedFile&) = delete;

    int descriptor() const noexcept { return file_.get(); }
    const std::filesystem::path& temporary_path() const noexcept { return temporary_; }

    /// Appends all of `original`.
    void append(const std::filesystem::path& original);

    /// Writes `pieces` one behind the other from `offset` on; changes them.
    void write(std::uint64_t offset, std::span<iovec> pieces);

    void commit();

  private:
    std::filesystem::path path_;
    std::filesystem::path temporary_;
    FileDescriptor file_;
    bool is_named_ = false;
};

}  // namespace railgauge
