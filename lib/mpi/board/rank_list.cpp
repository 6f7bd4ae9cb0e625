// SPDX-License-Identifier: Apache-2.0
#include "mpi/board/rank_list.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace railgauge::board {
namespace {

constexpr std::size_t most_ranges = 8;
constexpr std::size_t most_hosts = 4;

std::vector<std::string> ranges_of(const std::vector<int>& ranks) {
    std::vector<std::string> ranges;
    for (std::size_t first = 0; first < ranks.size();) {
        std::size_t last = first;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1)
            ++last;
        ranges.push_back(first == last ? fmt::format("{}", ranks[first])
                                       : fmt::format("{}-{}", ranks[first], ranks[last]));
        first = last + 1;
    }
    return ranges;
}

std::string shortened(const std::vector<std::string>& items, std::size_t most, std::size_t total) {
    if (items.size() <= most) return fmt::format("{}", fmt::join(items, ", "));
    return fmt::format("{}, ... ({} in all)", fmt::join(std::span(items).first(most), ", "), total);
}

}  // namespace

std::string format_ranks(const std::vector<int>& ranks) {
    return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks",
                       shortened(ranges_of(ranks), most_ranges, ranks.size()));
}

std::string format_hosts(const std::vector<int>& ranks, const std::vector<RankEntry>& entries) {
    std::vector<std::string> hosts;
    for (const int rank : ranks) {
        const std::string& host = entries[static_cast<std::size_t>(rank)].host;
        const bool is_new = std::find(hosts.begin(), hosts.end(), host) == hosts.end();
        if (!host.empty() && is_new) hosts.push_back(host);
    }
    return shortened(hosts, most_hosts, hosts.size());
}

std::string format_ranks_on_hosts(const std::vector<int>& ranks,
                                  const std::vector<RankEntry>& entries) {
    const std::string hosts = format_hosts(ranks, entries);
    return hosts.empty() ? format_ranks(ranks)
                         : fmt::format("{} on {}", format_ranks(ranks), hosts);
}

}  // namespace railgauge::board
