// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include <nlohmann/json.hpp>

namespace railgauge {

/// The facts that `ask` returns; `late` where it has not answered within `patience`, as a driver
/// may never do: the thread that asked is left behind, so `ask` must own what it uses. Nothing
/// where it throws.
nlohmann::json facts_within(std::chrono::milliseconds patience, std::function<nlohmann::json()> ask,
                            nlohmann::json late);

}  // namespace railgauge
