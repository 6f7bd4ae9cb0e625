// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include <sys/uio.h>

#include "record/hdf5.hpp"

namespace railgauge {

/// A new HDF5 file that appears under its name only when it is complete: it is written as
/// "<path>.tmp" and renamed by commit(). Without commit() the destructor removes it.
///
///     OutputFile file(folder / "0007.h5");
///     hdf5::write_text(file.id(), "site", text);
///     file.commit();
///
/// A disk that fills up costs this file alone. HDF5 1.10 crashes at MPI_Finalize or when the
/// process ends if closing a file failed, so before HDF5 closes an abandoned file its descriptor is
/// made one of memory, where the close succeeds.
class OutputFile {
  public:
    /// @throws Error(library) when the file cannot be made
    explicit OutputFile(std::filesystem::path path);

    /// Starts as a copy of `original`.
    OutputFile(std::filesystem::path path, const std::filesystem::path& original);

    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    hid_t id() const noexcept { return file_.get(); }

    /// Writes `pieces` one behind the other from `offset` on, past HDF5: for space that a dataset
    /// has reserved (H5Dget_offset). @throws Error(library)
    void write_raw(std::uint64_t offset, std::span<iovec> pieces);

    /// @throws Error(library) when not everything reached the disk
    void commit();

  private:
    OutputFile(std::filesystem::path path, const std::filesystem::path* original);
    void flush();

    std::filesystem::path path_;
    std::filesystem::path temporary_;
    hdf5::File file_;
    int descriptor_ = -1;  ///< HDF5's own
};

/// "<path>.tmp"
std::filesystem::path temporary_name(const std::filesystem::path& path);

}  // namespace railgauge
