// SPDX-License-Identifier: Apache-2.0
#include "transport/ucx_agree.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

constexpr std::size_t most_text_bytes = 4096;

}  // namespace

std::string swap_status(Peer& peer, const std::string& error) {
    const std::span mine(error.data(), std::min(error.size(), most_text_bytes));
    const std::vector<std::byte> theirs = peer.swap(std::as_bytes(mine));
    return {reinterpret_cast<const char*>(theirs.data()), std::min(theirs.size(), most_text_bytes)};
}

void require_well(const Peer& peer, const std::string& error) {
    if (error.empty()) return;
    throw Error(ExitCode::library, fmt::format("{} cannot connect by UCX", peer.name()), error,
                "mend it there");
}

}  // namespace railgauge
