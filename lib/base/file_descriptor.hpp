// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include "base/destroyer.hpp"

namespace railgauge {

using FileDescriptor = UniqueId<int, &::close>;

}  // namespace railgauge
