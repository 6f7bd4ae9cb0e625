// SPDX-License-Identifier: Apache-2.0
// Links: what an old NVML, the other library of this rig, lacks.
#include "behaviour.hpp"

using fake_nvml::answer;
using fake_nvml::Device;
using fake_nvml::number;
using fake_nvml::put_text;
using fake_nvml::Result;
namespace nvml = railgauge::nvml;

namespace {

constexpr unsigned links = 4;  ///< that the GPUs have; the last of them cannot be used

Result refuse(unsigned link) {
    if (link >= links) return nvml::invalid_argument;
    return link == links - 1 ? nvml::not_supported : nvml::success;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NVML's.
extern "C" {

Result nvmlDeviceGetNvLinkState(Device device, unsigned link, unsigned* is_active) {
    if (const Result refused = refuse(link); refused != nvml::success) return refused;
    return number("nvmlDeviceGetNvLinkState", fake_nvml::is_down(device, link) ? 0 : 1, is_active);
}

Result nvmlDeviceGetNvLinkVersion(Device, unsigned link, unsigned* version) {
    if (const Result refused = refuse(link); refused != nvml::success) return refused;
    return number("nvmlDeviceGetNvLinkVersion", 5, version);
}

Result nvmlDeviceGetNvLinkRemoteDeviceType(Device, unsigned link, unsigned* type) {
    if (const Result refused = refuse(link); refused != nvml::success) return refused;
    return number("nvmlDeviceGetNvLinkRemoteDeviceType", link == 0 ? 0 : 2, type);
}

Result nvmlDeviceGetNvLinkRemotePciInfo_v2(Device, unsigned link, nvml::PciInfo* pci) {
    if (const Result refused = refuse(link); refused != nvml::success) return refused;
    return answer("nvmlDeviceGetNvLinkRemotePciInfo_v2", [=] {
        return put_text("00000000:C4:00.0", pci->bus_id.data(), sizeof pci->bus_id);
    });
}

Result nvmlDeviceGetGpuFabricInfoV(Device, nvml::FabricInfo* info) {
    return answer("nvmlDeviceGetGpuFabricInfoV", [=] {
        constexpr Result version_mismatch = 25;
        if (info->version != 0x02000024) return version_mismatch;
        info->cluster_uuid = {0xab, 0x01};
        info->status = nvml::success;
        info->clique = 7;
        info->state = 3;
        info->health_mask = 0;
        return nvml::success;
    });
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
