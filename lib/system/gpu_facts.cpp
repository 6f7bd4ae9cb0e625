// SPDX-License-Identifier: Apache-2.0
#include "system/gpu_facts.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "system/facts_within.hpp"
#include "system/nvml.hpp"

namespace railgauge {
namespace {

using nlohmann::json;
using nvml::Device;
using nvml::Functions;

/// Adds what a call gave, "unsupported" where NVML says so, and nothing after another error.
template <class Value>
void add(json& facts, const char* key, nvml::Result result, const Value& value) {
    if (result == nvml::success) facts[key] = value;
    if (result == nvml::not_supported) facts[key] = "unsupported";
}

void add_text(json& facts, const char* key, nvml::DeviceText read, Device device) {
    std::array<char, nvml::text_bytes> text{};
    const nvml::Result result = nvml::call(read, device, text.data(), unsigned{text.size()} - 1);
    add(facts, key, result, text.data());
}

void add_number(json& facts, const char* key, nvml::DeviceNumber read, Device device) {
    unsigned number = 0;
    const nvml::Result result = nvml::call(read, device, &number);
    add(facts, key, result, number);
}

const char* on_or_off(unsigned state) {
    return state == 0 ? "off" : "on";
}

void add_settings(json& gpu, const Functions& f, Device device) {
    unsigned state = 0;
    unsigned pending = 0;
    const nvml::Result ecc = nvml::call(f.ecc, device, &state, &pending);
    add(gpu, "ecc", ecc, on_or_off(state));
    const nvml::Result persistence = nvml::call(f.persistence, device, &state);
    add(gpu, "persistence", persistence, on_or_off(state));
    unsigned limit_mw = 0;
    const nvml::Result power = nvml::call(f.power_limit_mw, device, &limit_mw);
    add(gpu, "power_limit_w", power, limit_mw / 1e3);
}

void add_identity(json& gpu, const Functions& f, Device device) {
    add_text(gpu, "name", f.name, device);
    add_text(gpu, "uuid", f.uuid, device);
    add_text(gpu, "vbios", f.vbios, device);
    nvml::PciInfo pci{};
    const nvml::Result located = nvml::call(f.pci, device, &pci);
    add(gpu, "pci", located, pci.bus_id.data());
    nvml::Memory memory{};
    const nvml::Result sized = nvml::call(f.memory, device, &memory);
    add(gpu, "memory_bytes", sized, memory.total);
}

void add_pcie(json& gpu, const Functions& f, Device device) {
    json pcie = json::object();
    add_number(pcie, "generation", f.pcie_generation, device);
    add_number(pcie, "width", f.pcie_width, device);
    add_number(pcie, "max_generation", f.pcie_max_generation, device);
    add_number(pcie, "max_width", f.pcie_max_width, device);
    if (!pcie.empty()) gpu["pcie"] = std::move(pcie);
}

std::string peer_name(unsigned peer) {
    switch (static_cast<nvml::LinkPeer>(peer)) {
        case nvml::LinkPeer::gpu: return "gpu";
        case nvml::LinkPeer::npu: return "npu";
        case nvml::LinkPeer::nvswitch: return "switch";
        case nvml::LinkPeer::unknown: return "unknown";
    }
    return fmt::format("{}", peer);
}

/// What is known of one link; what is not is null.
struct Link {
    json state = "unsupported";
    json version;
    json peer;
    json pci;
};

Link read_link(const Functions& f, Device device, unsigned link, unsigned is_active) {
    Link found;
    found.state = is_active != 0 ? "active" : "inactive";
    unsigned number = 0;
    if (nvml::call(f.link_version, device, link, &number) == nvml::success) found.version = number;
    if (nvml::call(f.link_peer, device, link, &number) == nvml::success)
        found.peer = peer_name(number);
    nvml::PciInfo pci{};
    if (nvml::call(f.link_pci, device, link, &pci) == nvml::success) found.pci = pci.bus_id.data();
    return found;
}

/// The links of a GPU as lists: link i is element i of each.
class LinkLists {
  public:
    void add(const Link& link) {
        const auto state = link.state.get<std::string>();
        counts_[state] = counts_.value(state, 0) + 1;
        lists_["state"].push_back(link.state);
        lists_["version"].push_back(link.version);
        lists_["peer"].push_back(link.peer);
        lists_["peer_pci"].push_back(link.pci);
    }

    /// Without lists that say nothing.
    json take() {
        if (counts_["active"] != 0 || counts_["inactive"] != 0) counts_.update(lists_);
        return std::move(counts_);
    }

  private:
    json counts_{{"active", 0}, {"inactive", 0}, {"unsupported", 0}};
    json lists_ = json::object();
};

void add_links(json& gpu, const Functions& f, Device device) {
    LinkLists links;
    bool is_known = false;
    for (unsigned number = 0; number < nvml::most_links; ++number) {
        unsigned is_active = 0;
        const nvml::Result result = nvml::call(f.link_state, device, number, &is_active);
        if (result == nvml::invalid_argument) break;  // past the last link of this GPU
        Link link;
        if (result == nvml::success) link = read_link(f, device, number, is_active);
        if (result != nvml::success && result != nvml::not_supported) link.state = "unknown";
        is_known |= link.state != "unknown";
        links.add(link);
    }
    if (is_known) gpu["nvlink"] = links.take();
}

const char* fabric_state(unsigned char state) {
    constexpr std::array<const char*, 4> names{"unsupported", "not started", "in progress",
                                               "completed"};
    return state < names.size() ? names[state] : "unknown";
}

void add_fabric(json& gpu, const Functions& f, Device device) {
    nvml::FabricInfo info{};
    info.version = nvml::fabric_info_version;
    const nvml::Result result = nvml::call(f.fabric, device, &info);
    json fabric{{"state", fabric_state(info.state)}};
    constexpr unsigned char completed = 3;
    if (info.state == completed) {
        fabric["status"] = info.status;
        fabric["clique"] = info.clique;
        fabric["cluster_uuid"] = fmt::format("{:02x}", fmt::join(info.cluster_uuid, ""));
        fabric["health_mask"] = info.health_mask;
    }
    add(gpu, "fabric", result, fabric);
}

json describe_gpu(const Functions& f, unsigned index) {
    json gpu{{"index", index}};
    Device device = nullptr;
    if (nvml::call(f.handle, index, &device) != nvml::success) return gpu;  // it fell off the bus
    add_identity(gpu, f, device);
    add_settings(gpu, f, device);
    add_pcie(gpu, f, device);
    add_links(gpu, f, device);
    add_fabric(gpu, f, device);
    return gpu;
}

json ask(const std::string& file) {
    json facts = json::object();
    const auto library = nvml::Library::open(file);
    if (!library) return facts;
    const Functions& f = library->functions();
    std::array<char, nvml::text_bytes> version{};
    const nvml::Result told =
        nvml::call(f.driver_version, version.data(), unsigned{version.size()} - 1);
    add(facts, "gpu_driver", told, version.data());
    unsigned count = 0;
    if (nvml::call(f.count, &count) != nvml::success) return facts;
    facts["gpus"] = json::array();
    for (unsigned index = 0; index < count; ++index)
        facts["gpus"].push_back(describe_gpu(f, index));
    return facts;
}

}  // namespace

std::string nvml_file() {
    const char* named = std::getenv("RAILGAUGE_NVML");
    return named == nullptr ? "libnvidia-ml.so.1" : named;
}

json gpu_facts(const std::string& file, std::chrono::milliseconds patience) {
    if (file.empty()) return json::object();
    return facts_within(patience, [file] { return ask(file); }, {{"nvml", "no answer"}});
}

}  // namespace railgauge
