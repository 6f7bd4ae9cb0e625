// SPDX-License-Identifier: Apache-2.0
#include "mpi/board/interface_addresses.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/destroyer.hpp"

namespace railgauge::board {
namespace {

using InterfaceList = std::unique_ptr<ifaddrs, Destroyer<&::freeifaddrs>>;

/// Order of preference; smaller is better.
int preference(const ifaddrs& entry) {
    const int loopback = (entry.ifa_flags & IFF_LOOPBACK) != 0 ? 10 : 0;
    if (entry.ifa_addr->sa_family == AF_INET) return loopback;
    const auto* address = reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr);
    return loopback + (IN6_IS_ADDR_LINKLOCAL(&address->sin6_addr) ? 2 : 1);
}

bool is_usable(const ifaddrs& entry, const std::string& interface) {
    if (entry.ifa_addr == nullptr || (entry.ifa_flags & IFF_UP) == 0) return false;
    if (!interface.empty() && interface != entry.ifa_name) return false;
    return entry.ifa_addr->sa_family == AF_INET || entry.ifa_addr->sa_family == AF_INET6;
}

std::string numeric(const sockaddr* address) {
    const socklen_t length =
        address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    std::array<char, NI_MAXHOST> text{};
    const int failed =
        ::getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
    return failed != 0 ? "" : text.data();
}

}  // namespace

std::vector<std::string> interface_addresses(const std::string& interface) {
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) return {};
    const InterfaceList list(first);
    std::vector<std::pair<int, std::string>> ranked;
    for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
        if (is_usable(*entry, interface)) {
            ranked.emplace_back(preference(*entry), numeric(entry->ifa_addr));
        }
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> addresses;
    for (auto& [rank, address] : ranked) {
        if (!address.empty()) addresses.push_back(std::move(address));
    }
    return addresses;
}

}  // namespace railgauge::board
