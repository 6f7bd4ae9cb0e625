// SPDX-License-Identifier: Apache-2.0
#include "head.hpp"

#include <fstream>
#include <regex>

#include <fmt/format.h>

#include "cuda/gpu.hpp"
#include "nccl/watch.hpp"

namespace railgauge::smoke {
namespace {

/// The version of NVIDIA's kernel module.
std::string driver_version() {
    std::ifstream file("/proc/driver/nvidia/version");
    std::string line;
    std::getline(file, line);
    std::smatch version;
    const std::regex number(R"(\s(\d+\.\d+(\.\d+)?)\s)");
    return std::regex_search(line, version, number) ? version[1].str() : "unknown";
}

}  // namespace

std::string table_head() {
    const Gpu& gpu = bound_gpu();
    const CudaVersions cuda = cuda_versions();
    const NcclVersions nccl = nccl_versions();
    return fmt::format(
        "# GPU: {} ({}, {}, compute capability {}.{})\n"
        "# driver: {}, for CUDA up to {}\n"
        "# CUDA: {}, built with {}\n"
        "# NCCL: {}, built with {}\n"
        "{}"
        "# {:<34} {:<5} {:<34} {}",
        gpu.name, gpu.uuid, gpu.pci, gpu.compute_major, gpu.compute_minor, driver_version(),
        cuda.driver, cuda.runtime, cuda.build, nccl.runtime, nccl.build,
        is_gpu_double() ? "# RIG: double: no time and no rate below means anything\n" : "", "check",
        "found", "figure", "remark");
}

}  // namespace railgauge::smoke
