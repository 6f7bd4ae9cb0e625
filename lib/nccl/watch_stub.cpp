// SPDX-License-Identifier: Apache-2.0
#include "nccl/watch.hpp"

namespace railgauge {

LibraryWatch nccl_watch() {
    return {};
}

NcclVersions nccl_versions() {
    return {};
}

}  // namespace railgauge
