// SPDX-License-Identifier: Apache-2.0
#include "pairs/plan.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/units.hpp"
#include "pairs/patterns.hpp"

namespace railgauge {
namespace {

// Names in the order of the enumerators.
constexpr std::array<std::string_view, 2> operations{"bandwidth", "latency"};
constexpr std::array<std::string_view, 4> directions{"forward", "backward", "both", "round-trip"};

template <class Enum, std::size_t N>
Enum parse(const std::array<std::string_view, N>& names, std::string_view text) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) throw std::logic_error(fmt::format("'{}' is unknown", text));
    return static_cast<Enum>(found - names.begin());
}

template <class Enum, std::size_t N>
std::string text_of(const std::array<std::string_view, N>& names, Enum value) {
    return std::string(names.at(static_cast<std::size_t>(value)));
}

/// Ascending, without repeats, and with depth 1: deep windows hide what a single message shows.
std::vector<int> depths_of(const PairsOptions& options) {
    std::vector<int> depths = options.depths;
    depths.push_back(1);
    std::sort(depths.begin(), depths.end());
    depths.erase(std::unique(depths.begin(), depths.end()), depths.end());
    return depths;
}

std::vector<std::uint64_t> sizes_of(const PairsOptions& options) {
    constexpr std::uint64_t most = std::uint64_t{1} << 60;
    std::vector<std::uint64_t> sizes = parse_byte_list(options.sizes);
    if (sizes.front() > 0 && sizes.back() <= most) return sizes;
    throw Error(ExitCode::usage,
                fmt::format("--sizes has a message of {} B", sizes.front() == 0 ? 0 : sizes.back()),
                "a message has 1 B to 1 EiB", "choose other sizes");
}

/// Everything that one matching is measured with, in order.
std::vector<PairCall> calls_of(const PairsOptions& options) {
    const std::vector<std::uint64_t> sizes = sizes_of(options);
    std::vector<PairCall> calls;
    for (const std::string& operation : options.operations) {
        if (parse<PairOperation>(operations, operation) == PairOperation::latency) {
            for (const std::uint64_t bytes : sizes)
                calls.push_back({PairOperation::latency, Direction::round_trip, bytes, 1});
            continue;
        }
        for (const std::string& direction : options.directions)
            for (const std::uint64_t bytes : sizes)
                for (const int depth : depths_of(options))
                    calls.push_back({PairOperation::bandwidth,
                                     parse<Direction>(directions, direction), bytes, depth});
    }
    return calls;
}

Case make_case(const PairsOptions& options, const std::string& pattern, const PairCall& call,
               const Matching& matching, const std::string& digest) {
    const std::string operation = text_of(operations, call.operation);
    const std::string direction = text_of(directions, call.direction);
    Case c(fmt::format("{}/{}/{}/{}/{}/{}x{}/{}/{}/{}", operation, options.backend,
                       options.memory_name(), pattern, direction, call.bytes, call.depth,
                       matching.rails, matching.repeat, matching.round),
           {{"operation", operation},
            {"backend", options.backend},
            {"memory", options.memory_name()},
            {"pattern", pattern},
            {"direction", direction},
            {"bytes", static_cast<std::int64_t>(call.bytes)},
            {"depth", std::int64_t{call.depth}},
            {"rails", matching.rails},
            {"plane", matching.plane},
            {"repeat", std::int64_t{matching.repeat}},
            {"round", std::int64_t{matching.round}},
            {"pairs", std::int64_t{matching.pairs()}},
            {"matching", digest},
            {"group_ranks", std::int64_t{2}}});
    return c;
}

}  // namespace

std::vector<std::string> pair_operation_names() {
    return {operations.begin(), operations.end()};
}

PairsPlan plan_pairs(const PairsOptions& options, const Fleet& fleet, const Site* site) {
    const std::vector<PairCall> calls = calls_of(options);
    PairsPlan plan;
    for (const std::string& pattern : options.patterns) {
        const std::size_t first = plan.matchings.size();
        std::vector<Matching> matchings = match_ranks(pattern, options, fleet, site);
        std::vector<std::string> digests;
        digests.reserve(matchings.size());
        for (const Matching& matching : matchings)
            digests.push_back(matching.digest(fleet));
        std::move(matchings.begin(), matchings.end(), std::back_inserter(plan.matchings));
        for (const PairCall& call : calls) {
            for (std::size_t i = first; i < plan.matchings.size(); ++i) {
                plan.cases.push_back(
                    make_case(options, pattern, call, plan.matchings[i], digests[i - first]));
                plan.matching_of_case.push_back(i);
            }
        }
    }
    return plan;
}

PairCall call_of(const Case& c) {
    return {parse<PairOperation>(operations, c.text("operation")),
            parse<Direction>(directions, c.text("direction")),
            static_cast<std::size_t>(c.integer("bytes")), static_cast<int>(c.integer("depth"))};
}

}  // namespace railgauge
