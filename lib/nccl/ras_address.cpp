// SPDX-License-Identifier: Apache-2.0
#include "nccl/ras_address.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <system_error>
#include <thread>

#include <netdb.h>
#include <netinet/in.h>

#include "base/destroyer.hpp"

namespace railgauge::ras {
namespace {

using AddressInfo = std::unique_ptr<addrinfo, Destroyer<&::freeaddrinfo>>;

enum class Hosts { numeric, named };

std::vector<Endpoint> look_up(const Address& address, Hosts hosts) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV | (hosts == Hosts::numeric ? AI_NUMERICHOST : 0);
    addrinfo* found = nullptr;
    if (::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found) != 0) return {};
    const AddressInfo owner(found);
    std::vector<Endpoint> endpoints;
    for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
        Endpoint& endpoint = endpoints.emplace_back();
        endpoint.length = std::min<socklen_t>(at->ai_addrlen, sizeof endpoint.address);
        std::memcpy(&endpoint.address, at->ai_addr, endpoint.length);
    }
    return endpoints;
}

/// A name server may keep a look-up waiting far beyond the deadline and cannot be interrupted: the
/// thread is left behind then.
std::vector<Endpoint> look_up_name(const Address& address, Deadline deadline) {
    const auto promise = std::make_shared<std::promise<std::vector<Endpoint>>>();
    std::future<std::vector<Endpoint>> answer = promise->get_future();
    try {
        std::thread([promise, address] {
            promise->set_value(look_up(address, Hosts::named));
        }).detach();
    } catch (const std::system_error&) {
        return {};
    }
    const bool known = answer.wait_until(deadline) == std::future_status::ready;
    return known ? answer.get() : std::vector<Endpoint>{};
}

std::vector<Endpoint> loopback(const std::string& port) {
    std::vector<Endpoint> both = look_up({"127.0.0.1", port}, Hosts::numeric);
    const std::vector<Endpoint> six = look_up({"::1", port}, Hosts::numeric);
    both.insert(both.end(), six.begin(), six.end());
    return both;
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon + 1 == text.size()) return std::nullopt;
    std::string_view host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string_view::npos) {
        return std::nullopt;
    }
    if (host.empty()) return std::nullopt;
    return Address{std::string(host), std::string(text.substr(colon + 1))};
}

std::optional<Address> address_of_environment() {
    const char* const set = std::getenv("NCCL_RAS_ADDR");
    return parse_address(set == nullptr ? "localhost:28028" : set);
}

std::vector<Endpoint> resolve(const Address& address, Deadline deadline) {
    if (address.host == "localhost") return loopback(address.port);
    std::vector<Endpoint> numeric = look_up(address, Hosts::numeric);
    return numeric.empty() ? look_up_name(address, deadline) : numeric;
}

}  // namespace railgauge::ras
