// SPDX-License-Identifier: Apache-2.0
#include "record/output_file.hpp"

#include <cerrno>
#include <utility>

#include "base/error.hpp"

namespace railgauge {

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

void OutputFile::commit() {
    if (H5Fclose(file_.release()) < 0) {
        hdf5::throw_failure(-1, "close", disk_.temporary_path().native());
    }
    check_disk();
    disk_.commit();
}

}  // namespace railgauge
