// SPDX-License-Identifier: Apache-2.0
#include "record/latched_driver.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <limits>
#include <new>

#include <sys/stat.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace railgauge::hdf5 {
namespace {

/// What HDF5 keeps with the access and gives back to open().
struct AccessInfo {
    LatchedFile* file;
};

/// HDF5's handle of an open file.
struct OpenFile {
    H5FD_t base;  // must be first: HDF5 knows only this
    LatchedFile* file;
    haddr_t end_of_allocation;
    haddr_t end_of_file;
};

OpenFile& self(H5FD_t* file) {
    return *reinterpret_cast<OpenFile*>(file);
}
const OpenFile& self(const H5FD_t* file) {
    return *reinterpret_cast<const OpenFile*>(file);
}

H5FD_t* open(const char*, unsigned, hid_t access, haddr_t) {
    const auto* info = static_cast<const AccessInfo*>(H5Pget_driver_info(access));
    struct stat status {};
    if (info == nullptr || ::fstat(info->file->descriptor, &status) != 0) return nullptr;
    auto* file = new (std::nothrow) OpenFile{};
    if (file == nullptr) return nullptr;
    file->file = info->file;
    file->end_of_file = static_cast<haddr_t>(status.st_size);
    return &file->base;
}

herr_t close(H5FD_t* file) {
    delete &self(file);
    return 0;
}

herr_t query(const H5FD_t*, unsigned long* features) {
    *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
                H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
                H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

haddr_t get_end_of_allocation(const H5FD_t* file, H5FD_mem_t) {
    return self(file).end_of_allocation;
}

herr_t set_end_of_allocation(H5FD_t* file, H5FD_mem_t, haddr_t end) {
    self(file).end_of_allocation = end;
    return 0;
}

haddr_t get_end_of_file(const H5FD_t* file, H5FD_mem_t) {
    return self(file).end_of_file;
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t bytes, void* buffer) {
    auto* out = static_cast<char*>(buffer);
    while (bytes > 0) {
        const ssize_t got =
            ::pread(self(file).file->descriptor, out, bytes, static_cast<off_t>(address));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) {  // reserved and not written yet
            std::memset(out, 0, bytes);
            return 0;
        }
        out += got;
        address += static_cast<haddr_t>(got);
        bytes -= static_cast<std::size_t>(got);
    }
    return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t bytes,
             const void* buffer) {
    LatchedFile& disk = *self(file).file;
    if (disk.on_write) disk.on_write();
    const auto* in = static_cast<const char*>(buffer);
    self(file).end_of_file = std::max(self(file).end_of_file, address + bytes);
    while (bytes > 0 && disk.error == 0) {
        const ssize_t written = ::pwrite(disk.descriptor, in, bytes, static_cast<off_t>(address));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            disk.error = errno;
            return 0;
        }
        in += written;
        address += static_cast<haddr_t>(written);
        bytes -= static_cast<std::size_t>(written);
    }
    return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
    LatchedFile& disk = *self(file).file;
    const haddr_t end = self(file).end_of_allocation;
    if (disk.error == 0 && ::ftruncate(disk.descriptor, static_cast<off_t>(end)) != 0) {
        disk.error = errno;
    }
    self(file).end_of_file = end;
    return 0;
}

#if H5_VERSION_GE(1, 13, 0)
void identify(H5FD_class_t& driver) {
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED + 1);
}
#else
void identify(H5FD_class_t&) {}  // older releases ask for neither
#endif

H5FD_class_t describe_driver() {
    H5FD_class_t driver{};
    identify(driver);
    driver.name = "latched";
    driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
    driver.fc_degree = H5F_CLOSE_WEAK;
    driver.fapl_size = sizeof(AccessInfo);
    driver.open = &open;
    driver.close = &close;
    driver.query = &query;
    driver.get_eoa = &get_end_of_allocation;
    driver.set_eoa = &set_end_of_allocation;
    driver.get_eof = &get_end_of_file;
    driver.read = &read;
    driver.write = &write;
    driver.truncate = &truncate;
    constexpr H5FD_mem_t free_lists[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(free_lists), std::end(free_lists), driver.fl_map);
    return driver;
}

hid_t driver_id() {
    static const H5FD_class_t driver = describe_driver();
    static const hid_t id = check(H5FDregister(&driver), -1, "register", "the file driver");
    return id;
}

}  // namespace

PropertyList latched_access(LatchedFile& file) {
    PropertyList access = file_access();
    const AccessInfo info{&file};
    check(H5Pset_driver(access.get(), driver_id(), &info), -1, "prepare", "the file access");
    return access;
}

}  // namespace railgauge::hdf5
