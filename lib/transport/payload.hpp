// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace railgauge {

/// Whose bytes, which message, which round: what makes a payload unlike any other.
struct PayloadKey {
    int sender = 0;
    std::uint64_t message = 0;
    std::uint64_t round = 0;
};

/// Bytes of check rounds, known exactly wherever they arrive: word i of a payload is a mixture of
/// its key and i, so that another sender's message, another message, another round, a shift by any
/// number of bytes and bytes never written all show.
void write_payload(const PayloadKey& key, std::span<std::byte> out);

/// Fills `out` with the complement of the payload: whatever does not arrive is then wrong in every
/// byte.
void write_poison(const PayloadKey& key, std::span<std::byte> out);

/// Bytes of `data` that differ from the payload.
std::uint64_t count_wrong(const PayloadKey& key, std::span<const std::byte> data);

}  // namespace railgauge
