// SPDX-License-Identifier: Apache-2.0
#include "verbs/address.hpp"

#include <cstring>

namespace railgauge {
namespace {

constexpr std::uint8_t hop_limit = 64;

bool are_in_one_subnet(const ibv_gid& a, const ibv_gid& b) {
    constexpr std::size_t prefix_bytes = 8;
    return std::memcmp(a.raw, b.raw, prefix_bytes) == 0;
}

bool needs_global_header(const PathEnd& mine, const PathEnd& theirs) {
    return mine.link_layer == LinkLayer::ethernet || mine.needs_global_header ||
           theirs.needs_global_header || !are_in_one_subnet(mine.gid, theirs.gid);
}

}  // namespace

ibv_ah_attr make_address(const PathEnd& mine, const PathEnd& theirs, const PathSource& source) {
    ibv_ah_attr address{};
    address.port_num = source.port;
    address.sl = source.service_level;
    if (mine.link_layer == LinkLayer::infiniband) address.dlid = theirs.lid;
    if (!needs_global_header(mine, theirs)) return address;
    address.is_global = 1;
    address.grh.dgid = theirs.gid;
    address.grh.sgid_index = source.gid_index;
    address.grh.hop_limit = hop_limit;
    address.grh.traffic_class = source.traffic_class;
    return address;
}

}  // namespace railgauge
