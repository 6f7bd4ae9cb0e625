// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "watchdog/library_watch.hpp"

namespace railgauge {

/// What the watchdog asks of NCCL. Empty in a build without it.
LibraryWatch nccl_watch();

/// The version of the library in use and of the header this was built with, as "2.28.9"; empty
/// without NCCL.
struct NcclVersions {
    std::string runtime;
    std::string build;
};
NcclVersions nccl_versions();

}  // namespace railgauge
