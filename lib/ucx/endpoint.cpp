// SPDX-License-Identifier: Apache-2.0
#include "ucx/endpoint.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <regex>
#include <vector>

#include <fmt/ranges.h>

#include "base/destroyer.hpp"
#include "base/log.hpp"
#include "ucx/check.hpp"
#include "ucx/log.hpp"
#include "ucx/progress.hpp"

namespace railgauge {
namespace {

constexpr std::int64_t giving_up_ns = 1'000'000'000;

}  // namespace

UcxEndpoint::UcxEndpoint(ucp_worker_h worker, std::span<const std::byte> address)
    : worker_(worker) {
    UcxHush hush;
    ucs_status_t status = open(address, UCP_ERR_HANDLING_MODE_PEER);
    if (status == UCS_ERR_UNREACHABLE) {
        notices_death_ = false;
        status = open(address, UCP_ERR_HANDLING_MODE_NONE);
    }
    if (status != UCS_OK) throw_ucx_error(status, "making an endpoint" + hush.words());
}

UcxEndpoint::~UcxEndpoint() {
    // Without error handling an endpoint may not be closed by force.
    end(notices_death_ ? UCP_EP_CLOSE_FLAG_FORCE : 0, giving_up_ns);
}

ucs_status_t UcxEndpoint::open(std::span<const std::byte> address, ucp_err_handling_mode_t mode) {
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                        UCP_EP_PARAM_FIELD_ERR_HANDLER;
    params.address = reinterpret_cast<const ucp_address_t*>(address.data());
    params.err_mode = mode;
    params.err_handler = {&UcxEndpoint::note_error, this};
    return ucp_ep_create(worker_, &params, &endpoint_);
}

void UcxEndpoint::note_error(void* self, ucp_ep_h /*endpoint*/, ucs_status_t status) noexcept {
    auto& endpoint = *static_cast<UcxEndpoint*>(self);
    if (endpoint.state_ == UCS_OK) endpoint.state_ = status;
}

void UcxEndpoint::close(std::int64_t limit_ns) noexcept {
    end(0, limit_ns);
}

void UcxEndpoint::end(unsigned flags, std::int64_t limit_ns) noexcept {
    if (endpoint_ == nullptr) return;
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = flags;
    const ucs_status_ptr_t request = ucp_ep_close_nbx(endpoint_, &param);
    endpoint_ = nullptr;
    if (!UCS_PTR_IS_PTR(request)) return;
    const auto is_done = [request] { return ucp_request_check_status(request) != UCS_INPROGRESS; };
    if (!progress_until(worker_, limit_ns, is_done))
        log_here("a UCX endpoint took longer than {} s to close", limit_ns / 1'000'000'000);
    ucp_request_free(request);
}

std::string UcxEndpoint::path() const {
    char* text = nullptr;
    std::size_t size = 0;
    using Stream = std::unique_ptr<std::FILE, Destroyer<&std::fclose>>;
    Stream stream(open_memstream(&text, &size));
    if (!stream) return {};
    ucp_ep_print_info(endpoint_, stream.get());
    stream.reset();
    const std::unique_ptr<char, Destroyer<&std::free>> owner(text);
    return lanes_in(text);
}

std::string lanes_in(const std::string& text) {
    // "#   lane[0]:  2:rc_verbs/mlx5_0:1.0 md[1] -> ...": index, transport, device, path.
    static const std::regex lane(R"(lane\[\d+\]:\s+\d+:([^\s/]+/\S+?)(\.\d+)?\s)");
    std::vector<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), lane), end; at != end; ++at) {
        if (std::ranges::find(found, (*at)[1].str()) == found.end()) found.push_back((*at)[1]);
    }
    return fmt::format("{}", fmt::join(found, ", "));
}

}  // namespace railgauge
