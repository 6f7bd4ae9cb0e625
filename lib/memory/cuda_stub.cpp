// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "memory/cuda.hpp"

namespace railgauge {
namespace {

[[noreturn]] void refuse(const char* why) {
    throw Error(ExitCode::usage, "not configured: built without CUDA", why, "use --memory host");
}

}  // namespace

std::unique_ptr<MemorySpace> make_cuda_memory() {
    refuse("memory 'cuda' lives on a GPU");
}

std::unique_ptr<MemorySpace> make_pinned_memory() {
    refuse("memory 'pinned' is reached by a GPU");
}

}  // namespace railgauge
