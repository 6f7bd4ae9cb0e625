// SPDX-License-Identifier: Apache-2.0
#include "nccl/watch.hpp"

#include <chrono>

#include <fmt/format.h>
#include <nccl.h>

#include "nccl/live.hpp"
#include "nccl/ras.hpp"

namespace railgauge {
namespace {

constexpr std::chrono::milliseconds ras_limit{1500};

std::uint8_t library_error() {
    return static_cast<std::uint8_t>(live_communicators().error());
}

std::string describe(int error) {
    return error == 0 ? "none" : ncclGetErrorString(static_cast<ncclResult_t>(error));
}

/// NCCL 2.9 and later: 22809 is 2.28.9.
std::string version_text(int version) {
    return fmt::format("{}.{}.{}", version / 10'000, version / 100 % 100, version % 100);
}

}  // namespace

LibraryWatch nccl_watch() {
    return {&library_error, &describe, [] { return query_ras(ras_limit); },
            [] { live_communicators().abort_all(); }};
}

NcclVersions nccl_versions() {
    NcclVersions versions;
    versions.build = version_text(NCCL_VERSION_CODE);
    int runtime = 0;
    if (ncclGetVersion(&runtime) == ncclSuccess) versions.runtime = version_text(runtime);
    return versions;
}

}  // namespace railgauge
