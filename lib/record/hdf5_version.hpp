// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace railgauge {

/// Version of the HDF5 library in use, as "1.10.8".
std::string hdf5_version();

}  // namespace railgauge
