// SPDX-License-Identifier: Apache-2.0
#include "incast/slot_payload.hpp"

namespace railgauge {

std::uint64_t SlotPayload::wrong(const SlotArea& area, int slot, const PayloadKey& key) {
    const std::byte* const data = memory_.data() + area.offset(slot);
    if (space_.is_host_addressable()) return count_wrong(key, {data, area.bytes});
    staged_.resize(area.bytes);
    space_.read(data, staged_);
    return count_wrong(key, staged_);
}

void SlotPayload::fill(const SlotArea& area, int slot,
                       void (*put)(const PayloadKey&, std::span<std::byte>),
                       const PayloadKey& key) {
    std::byte* const data = memory_.data() + area.offset(slot);
    if (space_.is_host_addressable()) return put(key, {data, area.bytes});
    staged_.resize(area.bytes);
    put(key, staged_);
    space_.write(data, staged_);
}

}  // namespace railgauge
