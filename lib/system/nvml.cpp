// SPDX-License-Identifier: Apache-2.0
#include "system/nvml.hpp"

#include <utility>

#include <dlfcn.h>

namespace railgauge::nvml {
namespace {

template <class Function>
void find(void* file, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(file, name));
}

Functions find_all(void* file) {
    Functions f{};
    find(file, "nvmlInit_v2", f.init);
    find(file, "nvmlShutdown", f.shutdown);
    find(file, "nvmlDeviceGetCount_v2", f.count);
    find(file, "nvmlDeviceGetHandleByIndex_v2", f.handle);
    find(file, "nvmlSystemGetDriverVersion", f.driver_version);
    find(file, "nvmlDeviceGetName", f.name);
    find(file, "nvmlDeviceGetUUID", f.uuid);
    find(file, "nvmlDeviceGetVbiosVersion", f.vbios);
    find(file, "nvmlDeviceGetPciInfo_v3", f.pci);
    find(file, "nvmlDeviceGetMemoryInfo", f.memory);
    find(file, "nvmlDeviceGetEccMode", f.ecc);
    find(file, "nvmlDeviceGetPersistenceMode", f.persistence);
    find(file, "nvmlDeviceGetPowerManagementLimit", f.power_limit_mw);
    find(file, "nvmlDeviceGetCurrPcieLinkGeneration", f.pcie_generation);
    find(file, "nvmlDeviceGetCurrPcieLinkWidth", f.pcie_width);
    find(file, "nvmlDeviceGetMaxPcieLinkGeneration", f.pcie_max_generation);
    find(file, "nvmlDeviceGetMaxPcieLinkWidth", f.pcie_max_width);
    find(file, "nvmlDeviceGetNvLinkState", f.link_state);
    find(file, "nvmlDeviceGetNvLinkVersion", f.link_version);
    find(file, "nvmlDeviceGetNvLinkRemoteDeviceType", f.link_peer);
    find(file, "nvmlDeviceGetNvLinkRemotePciInfo_v2", f.link_pci);
    find(file, "nvmlDeviceGetGpuFabricInfoV", f.fabric);
    return f;
}

}  // namespace

std::unique_ptr<Library> Library::open(const std::string& file) {
    File handle(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!handle) return nullptr;
    const Functions functions = find_all(handle.get());
    if (call(functions.init) != success) return nullptr;
    return std::unique_ptr<Library>(new Library(std::move(handle), functions));
}

Library::Library(File file, const Functions& functions)
    : file_(std::move(file)), functions_(functions) {}

Library::~Library() {
    call(functions_.shutdown);
}

}  // namespace railgauge::nvml
