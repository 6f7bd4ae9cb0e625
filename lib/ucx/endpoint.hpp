// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <ucp/api/ucp.h>

namespace railgauge {

/// A worker's connection to another process' worker.
///
/// UCX notices a dead peer where its transports can: not over shared memory alone, which is used
/// only when nothing else reaches the peer.
class UcxEndpoint {
  public:
    /// Starts to connect; the progress of both workers completes it.
    ///
    /// UCX parses the address, and a later remote key, without distrust: both may only come from a
    /// process that has proven to belong to the run.
    /// @throws Error(library) when no transport reaches that address
    UcxEndpoint(ucp_worker_h worker, std::span<const std::byte> address);

    /// Drops what is in flight, which completes with an error.
    ~UcxEndpoint();
    UcxEndpoint(const UcxEndpoint&) = delete;
    UcxEndpoint& operator=(const UcxEndpoint&) = delete;

    ucp_ep_h get() const noexcept { return endpoint_; }

    /// What UCX says has happened to the connection; UCS_OK while it lives.
    ucs_status_t state() const noexcept { return state_; }

    /// Waits until all that was sent is away, at most so long. Never throws: the peer may have gone
    /// first.
    void close(std::int64_t limit_ns) noexcept;

    /// The transports and devices that UCX chose: "rc_verbs/mlx5_0:1, tcp/eth0".
    std::string path() const;

  private:
    static void note_error(void* self, ucp_ep_h endpoint, ucs_status_t status) noexcept;
    ucs_status_t open(std::span<const std::byte> address, ucp_err_handling_mode_t mode);
    void end(unsigned flags, std::int64_t limit_ns) noexcept;

    ucp_worker_h worker_;
    ucp_ep_h endpoint_ = nullptr;
    bool notices_death_ = true;
    ucs_status_t state_ = UCS_OK;
};

/// "rc_verbs/mlx5_0:1" out of the lines of ucp_ep_print_info that describe lanes; each once, in
/// the order in which they appear.
std::string lanes_in(const std::string& text);

}  // namespace railgauge
