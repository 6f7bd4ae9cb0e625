// SPDX-License-Identifier: Apache-2.0
#include "pairs/slot_check.hpp"

namespace railgauge {

CheckTally SlotCheck::run(Exchange& exchange, std::uint64_t round) {
    fill(round);
    // Nothing may arrive before the poison is laid, nor once more while it is compared: a library
    // that writes into the peer's memory asks nobody.
    exchange.meet();
    exchange.launch();
    exchange.complete();
    const CheckTally tally = count(round);
    exchange.meet();
    return tally;
}

void SlotCheck::fill(std::uint64_t round) {
    for (int i = 0; i < slots_.messages; ++i) {
        const auto message = static_cast<std::uint64_t>(i);
        if (sends(duty_)) write_slot(slots_.to_send(i), &write_payload, {own_, message, round});
        if (receives(duty_))
            write_slot(slots_.received(i), &write_poison, {other_, message, round});
    }
}

CheckTally SlotCheck::count(std::uint64_t round) {
    CheckTally tally;
    for (int i = 0; receives(duty_) && i < slots_.messages; ++i) {
        const PayloadKey key{other_, static_cast<std::uint64_t>(i), round};
        tally.checked += slots_.bytes;
        tally.wrong += count_wrong_in_slot(slots_.received(i), key);
    }
    return tally;
}

void SlotCheck::write_slot(std::size_t offset,
                           void (*write)(const PayloadKey&, std::span<std::byte>),
                           const PayloadKey& key) {
    std::byte* const slot = data_ + offset;
    if (memory_.is_host_addressable()) return write(key, {slot, slots_.bytes});
    staged_.resize(slots_.bytes);
    write(key, staged_);
    memory_.write(slot, staged_);
}

std::uint64_t SlotCheck::count_wrong_in_slot(std::size_t offset, const PayloadKey& key) {
    const std::byte* const slot = data_ + offset;
    if (memory_.is_host_addressable()) return count_wrong(key, {slot, slots_.bytes});
    staged_.resize(slots_.bytes);
    memory_.read(slot, staged_);
    return count_wrong(key, staged_);
}

}  // namespace railgauge
