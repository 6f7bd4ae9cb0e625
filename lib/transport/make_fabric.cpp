// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/names.hpp"
#include "transport/fabric.hpp"

namespace railgauge {
namespace {

struct FabricRow {
    std::string_view name;
    std::unique_ptr<Fabric> (*make)(const FabricOptions& options);
};

constexpr std::array<FabricRow, 2> table{
    {{"verbs", &make_verbs_fabric}, {"ucx", &make_ucx_fabric}}};

}  // namespace

std::vector<std::string> fabric_names() {
    return names_of(table);
}

std::unique_ptr<Fabric> make_fabric(std::string_view name, const FabricOptions& options) {
    return row_named(table, name, "fabric").make(options);
}

}  // namespace railgauge
