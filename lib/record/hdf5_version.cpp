// SPDX-License-Identifier: Apache-2.0
#include "record/hdf5_version.hpp"

#include <fmt/format.h>
#include <hdf5.h>

namespace railgauge {

std::string hdf5_version() {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    if (H5get_libversion(&major, &minor, &release) < 0) return "unknown";
    return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace railgauge
