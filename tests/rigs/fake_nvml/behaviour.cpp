// SPDX-License-Identifier: Apache-2.0
#include "behaviour.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include <unistd.h>

namespace fake_nvml {
namespace {

std::string setting(const char* variable) {
    const char* text = std::getenv(variable);
    return text == nullptr ? "" : text;
}

[[noreturn]] void hang() {
    for (;;)
        ::pause();
}

}  // namespace

Result enter(const char* function) {
    if (setting("FAKE_NVML_HANG") == function) hang();
    const std::string failing = setting("FAKE_NVML_FAIL");
    const auto equals = failing.find('=');
    if (equals == std::string::npos || failing.substr(0, equals) != function)
        return railgauge::nvml::success;
    return std::atoi(failing.c_str() + equals + 1);
}

unsigned gpus() {
    const std::string count = setting("FAKE_NVML_GPUS");
    return count.empty() ? 2 : static_cast<unsigned>(std::stoul(count));
}

unsigned index_of(Device device) {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(device)) - 1;
}

bool is_down(Device device, unsigned link) {
    return setting("FAKE_NVML_LINK_DOWN") ==
           std::to_string(index_of(device)) + ":" + std::to_string(link);
}

Result put_text(const char* text, char* to, unsigned bytes) {
    constexpr Result insufficient_size = 7;
    if (std::strlen(text) >= bytes) return insufficient_size;
    std::strcpy(to, text);
    return railgauge::nvml::success;
}

Result number(const char* function, unsigned value, unsigned* to) {
    return answer(function, [=] {
        *to = value;
        return railgauge::nvml::success;
    });
}

}  // namespace fake_nvml
