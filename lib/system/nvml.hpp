// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include <dlfcn.h>

#include "base/destroyer.hpp"

/// NVIDIA's management library, found at run time: no build needs it. What is declared here is of
/// its binary interface and the same in every version that has the function.
namespace railgauge::nvml {

using Result = int;
inline constexpr Result success = 0;
inline constexpr Result invalid_argument = 2;
inline constexpr Result not_supported = 3;
inline constexpr Result function_not_found = 13;

struct DeviceTag;
using Device = DeviceTag*;

inline constexpr unsigned most_links = 18;  ///< a GPU has links 0 to 17 at most
inline constexpr std::size_t text_bytes = 96;

struct PciInfo {
    std::array<char, 16> legacy_bus_id;
    unsigned domain;
    unsigned bus;
    unsigned device;
    unsigned device_id;
    unsigned subsystem_id;
    std::array<char, 32> bus_id;  ///< "00000000:1B:00.0"
};
static_assert(sizeof(PciInfo) == 68);

struct Memory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};

enum class LinkPeer : unsigned { gpu = 0, npu = 1, nvswitch = 2, unknown = 0xff };

/// Second version of the structure; the library reads which from `version`.
struct FabricInfo {
    unsigned version;
    std::array<unsigned char, 16> cluster_uuid;
    Result status;  ///< means something once the state is `completed`
    unsigned clique;
    unsigned char state;  ///< 0 not supported, 1 not started, 2 in progress, 3 completed
    unsigned health_mask;
};
static_assert(sizeof(FabricInfo) == 36);
inline constexpr unsigned fabric_info_version = sizeof(FabricInfo) | (2U << 24);

using SystemText = Result (*)(char*, unsigned);
using DeviceText = Result (*)(Device, char*, unsigned);
using DeviceNumber = Result (*)(Device, unsigned*);
using LinkNumber = Result (*)(Device, unsigned link, unsigned*);

/// Null where the library lacks the function.
struct Functions {
    Result (*init)();
    Result (*shutdown)();
    Result (*count)(unsigned*);
    Result (*handle)(unsigned index, Device*);
    SystemText driver_version;
    DeviceText name;
    DeviceText uuid;
    DeviceText vbios;
    Result (*pci)(Device, PciInfo*);
    Result (*memory)(Device, Memory*);
    Result (*ecc)(Device, unsigned* current, unsigned* pending);
    DeviceNumber persistence;
    DeviceNumber power_limit_mw;
    DeviceNumber pcie_generation;
    DeviceNumber pcie_width;
    DeviceNumber pcie_max_generation;
    DeviceNumber pcie_max_width;
    LinkNumber link_state;
    LinkNumber link_version;
    LinkNumber link_peer;
    Result (*link_pci)(Device, unsigned link, PciInfo*);
    Result (*fabric)(Device, FabricInfo*);
};

/// What `function` returns; function_not_found where the library lacks it.
template <class... Formal, class... Actual>
Result call(Result (*function)(Formal...), Actual... arguments) {
    return function == nullptr ? function_not_found : function(arguments...);
}

/// The library in use. Its functions may hang for as long as a driver does.
class Library {
  public:
    /// @return none where `file` cannot be loaded or does not start: no driver, no GPU
    static std::unique_ptr<Library> open(const std::string& file);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    const Functions& functions() const noexcept { return functions_; }

  private:
    using File = std::unique_ptr<void, Destroyer<&::dlclose>>;

    Library(File file, const Functions& functions);

    File file_;
    Functions functions_;
};

}  // namespace railgauge::nvml
