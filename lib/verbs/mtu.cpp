// SPDX-License-Identifier: Apache-2.0
#include "verbs/mtu.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge {

std::uint32_t mtu_bytes(ibv_mtu mtu) {
    if (mtu < IBV_MTU_256 || mtu > IBV_MTU_4096) return 0;
    return 128u << static_cast<unsigned>(mtu);
}

std::optional<ibv_mtu> mtu_of_bytes(std::uint32_t bytes) {
    for (const ibv_mtu mtu : {IBV_MTU_256, IBV_MTU_512, IBV_MTU_1024, IBV_MTU_2048, IBV_MTU_4096}) {
        if (mtu_bytes(mtu) == bytes) return mtu;
    }
    return std::nullopt;
}

ibv_mtu offered_mtu(ibv_mtu active, std::optional<std::uint32_t> asked_bytes,
                    std::string_view port_name) {
    if (!asked_bytes) return active;
    const std::optional<ibv_mtu> asked = mtu_of_bytes(*asked_bytes);
    if (!asked)
        throw Error(ExitCode::usage, fmt::format("--mtu {} is no path MTU", *asked_bytes),
                    "there are 256, 512, 1024, 2048 and 4096", "use one of these");
    if (*asked > active)
        throw Error(ExitCode::usage, fmt::format("--mtu {} cannot be had", *asked_bytes),
                    fmt::format("the active MTU of {} is {}", port_name, mtu_bytes(active)),
                    "use that at most; for RoCE it follows the MTU of the network interface");
    return *asked;
}

}  // namespace railgauge
