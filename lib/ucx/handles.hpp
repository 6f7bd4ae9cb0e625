// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

#include <ucp/api/ucp.h>

#include "base/destroyer.hpp"

namespace railgauge {

template <class Handle, auto Destroy>
using UcxHandle = std::unique_ptr<std::remove_pointer_t<Handle>, Destroyer<Destroy>>;

using UcxConfig = UcxHandle<ucp_config_t*, &ucp_config_release>;
using UcxContext = UcxHandle<ucp_context_h, &ucp_cleanup>;
using UcxWorker = UcxHandle<ucp_worker_h, &ucp_worker_destroy>;
/// Ends before the endpoint it was unpacked for.
using UcxRemoteKey = UcxHandle<ucp_rkey_h, &ucp_rkey_destroy>;

struct UcxUnmap {
    ucp_context_h context = nullptr;
    void operator()(ucp_mem_h memory) const noexcept {
        static_cast<void>(ucp_mem_unmap(context, memory));
    }
};

/// Memory that a context has registered.
using UcxMemoryHandle = std::unique_ptr<std::remove_pointer_t<ucp_mem_h>, UcxUnmap>;

}  // namespace railgauge
