// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <infiniband/verbs.h>

namespace railgauge {

/// The GID that an IPv6 address stands for, "::ffff:10.0.0.1" included.
inline ibv_gid gid_of(const char* address) {
    ibv_gid gid{};
    inet_pton(AF_INET6, address, gid.raw);
    return gid;
}

}  // namespace railgauge
