// SPDX-License-Identifier: Apache-2.0
// What every version of NVML has.
#include <cstdint>
#include <string>

#include "behaviour.hpp"

using fake_nvml::answer;
using fake_nvml::Device;
using fake_nvml::number;
using fake_nvml::put_text;
using fake_nvml::Result;
namespace nvml = railgauge::nvml;

// NOLINTBEGIN(readability-identifier-naming): the names are NVML's.
extern "C" {

Result nvmlInit_v2() {
    return fake_nvml::enter("nvmlInit_v2");
}

Result nvmlShutdown() {
    return fake_nvml::enter("nvmlShutdown");
}

Result nvmlDeviceGetCount_v2(unsigned* count) {
    return number("nvmlDeviceGetCount_v2", fake_nvml::gpus(), count);
}

Result nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
    return answer("nvmlDeviceGetHandleByIndex_v2", [=] {
        *device = reinterpret_cast<Device>(std::uintptr_t{index} + 1);
        return nvml::success;
    });
}

Result nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
    return answer("nvmlSystemGetDriverVersion", [=] { return put_text("580.95.05", text, bytes); });
}

Result nvmlDeviceGetName(Device, char* text, unsigned bytes) {
    return answer("nvmlDeviceGetName", [=] { return put_text("Fake GPU", text, bytes); });
}

Result nvmlDeviceGetUUID(Device device, char* text, unsigned bytes) {
    const std::string uuid =
        "GPU-00000000-0000-0000-0000-00000000000" + std::to_string(fake_nvml::index_of(device));
    return answer("nvmlDeviceGetUUID", [&] { return put_text(uuid.c_str(), text, bytes); });
}

Result nvmlDeviceGetVbiosVersion(Device, char* text, unsigned bytes) {
    return answer("nvmlDeviceGetVbiosVersion",
                  [=] { return put_text("96.00.99.00.01", text, bytes); });
}

Result nvmlDeviceGetPciInfo_v3(Device device, nvml::PciInfo* pci) {
    return answer("nvmlDeviceGetPciInfo_v3", [=] {
        pci->bus = 0x1b + fake_nvml::index_of(device);
        return put_text(fake_nvml::index_of(device) == 0 ? "00000000:1B:00.0" : "00000000:1C:00.0",
                        pci->bus_id.data(), sizeof pci->bus_id);
    });
}

Result nvmlDeviceGetMemoryInfo(Device, nvml::Memory* memory) {
    return answer("nvmlDeviceGetMemoryInfo", [=] {
        *memory = {192ULL << 30, 191ULL << 30, 1ULL << 30};
        return nvml::success;
    });
}

Result nvmlDeviceGetEccMode(Device, unsigned* current, unsigned* pending) {
    *pending = 0;
    return number("nvmlDeviceGetEccMode", 1, current);
}

Result nvmlDeviceGetPersistenceMode(Device, unsigned* mode) {
    return number("nvmlDeviceGetPersistenceMode", 0, mode);
}

Result nvmlDeviceGetPowerManagementLimit(Device, unsigned* limit_mw) {
    return number("nvmlDeviceGetPowerManagementLimit", 1'000'500, limit_mw);
}

Result nvmlDeviceGetCurrPcieLinkGeneration(Device, unsigned* generation) {
    return number("nvmlDeviceGetCurrPcieLinkGeneration", 4, generation);
}

Result nvmlDeviceGetCurrPcieLinkWidth(Device, unsigned* width) {
    return number("nvmlDeviceGetCurrPcieLinkWidth", 8, width);
}

Result nvmlDeviceGetMaxPcieLinkGeneration(Device, unsigned* generation) {
    return number("nvmlDeviceGetMaxPcieLinkGeneration", 6, generation);
}

Result nvmlDeviceGetMaxPcieLinkWidth(Device, unsigned* width) {
    return number("nvmlDeviceGetMaxPcieLinkWidth", 16, width);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
