// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

#include "transport/fabric.hpp"

namespace railgauge {

/// Tells the peer how a step went here, and returns how it went there; empty = well.
std::string swap_status(Peer& peer, const std::string& error);

/// @throws Error(library) with the peer's `error`, unless it is empty
void require_well(const Peer& peer, const std::string& error);

/// A step that both sides do at the same time: when it throws on one, both throw.
template <class Step>
auto together(Peer& peer, Step step) {
    auto result = [&] {
        try {
            return step();
        } catch (const std::exception& error) {
            swap_status(peer, error.what());
            throw;
        }
    }();
    require_well(peer, swap_status(peer, {}));
    return result;
}

}  // namespace railgauge
