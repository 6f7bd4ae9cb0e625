// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "collectives/pattern_engine.hpp"

namespace railgauge {

std::unique_ptr<PatternEngine> make_cuda_pattern_engine() {
    throw Error(ExitCode::usage, "not configured: built without CUDA",
                "elements in GPU memory are checked there", "use --memory host");
}

}  // namespace railgauge
