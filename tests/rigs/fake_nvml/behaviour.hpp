// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/nvml.hpp"

namespace fake_nvml {

using railgauge::nvml::Device;
using railgauge::nvml::Result;

/// How a call of this function ends, by the environment (README.md); may never return.
Result enter(const char* function);

/// Of FAKE_NVML_GPUS.
unsigned gpus();

unsigned index_of(Device device);

/// Whether FAKE_NVML_LINK_DOWN is this link.
bool is_down(Device device, unsigned link);

/// Copies as NVML does, which refuses a buffer that is too small (7).
Result put_text(const char* text, char* to, unsigned bytes);

/// What a function does unless the environment says otherwise.
template <class Work>
Result answer(const char* function, Work work) {
    const Result result = enter(function);
    return result == railgauge::nvml::success ? work() : result;
}

/// The answer of a function that gives one number.
Result number(const char* function, unsigned value, unsigned* to);

}  // namespace fake_nvml
