// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

#include <sys/uio.h>

#include "base/file_descriptor.hpp"
#include "record/hdf5.hpp"
#include "record/latched_driver.hpp"

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

    /// Takes the disk space of the whole file, as far as the file system can.
    void reserve();

    /// Ends this process' writing; the file still has no name.
    void close();

    /// Closes the file unless it is closed, and gives it its name.
    void commit();

  private:
    std::filesystem::path path_;
    std::filesystem::path temporary_;
    FileDescriptor file_;
    bool is_named_ = false;
};

/// A new HDF5 file that appears under its name only when it is complete: written as "<path>.tmp",
/// renamed by commit(), removed by the destructor otherwise.
///
///     OutputFile file(folder / "0007.h5");
///     hdf5::write_text(file.id(), "site", text);
///     file.commit();
///
/// A disk that fills up costs this file alone: the error is found by write_raw(), check_disk() or
/// commit(), and HDF5 never sees it.
class OutputFile {
  public:
    /// @throws Error(library) when the file cannot be made
    explicit OutputFile(std::filesystem::path path);

    /// Starts as a copy of the HDF5 file `original`.
    /// @param on_write called whenever HDF5 writes (at least every MiB), if there is one
    OutputFile(std::filesystem::path path, const std::filesystem::path& original,
               std::function<void()> on_write = {});

    hid_t id() const noexcept { return file_.get(); }

    /// Writes `pieces` one behind the other from `offset` on, past HDF5: for space that a dataset
    /// has reserved (H5Dget_offset). @throws Error(library)
    void write_raw(std::uint64_t offset, std::span<iovec> pieces) { disk_.write(offset, pieces); }

    /// Throws Error(library) if anything that HDF5 wrote so far did not reach the disk.
    void check_disk() const;

    /// Closes the file under its temporary name, for others to fill the space that its datasets
    /// have; only commit() may follow. That space is taken from the disk here: a full disk shows
    /// now, on one process, and not in the middle of what the others do.
    /// @return the temporary name
    const std::filesystem::path& hand_over();

    /// @throws Error(library) when not everything reached the disk
    void commit();

  private:
    void close_file();

    UnfinishedFile disk_;
    hdf5::LatchedFile latched_;
    hdf5::File file_;  // last: closed while the disk is still open
};

}  // namespace railgauge
