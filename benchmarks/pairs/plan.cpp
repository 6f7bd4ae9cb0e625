// SPDX-License-Identifier: Apache-2.0
#include "pairs/plan.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/names.hpp"
#include "base/units.hpp"
#include "pairs/patterns.hpp"
#include "pairs/served_call.hpp"

namespace railgauge {
namespace {

// Names in the order of the enumerators.
constexpr std::array<std::string_view, 2> operations{"bandwidth", "latency"};
constexpr std::array<std::string_view, 4> directions{"forward", "backward", "both", "round-trip"};

struct VerbName {
    std::string_view name;
    Verb verb;
};
constexpr std::array<VerbName, 3> verbs{
    {{"send", Verb::send}, {"write", Verb::write}, {"read", Verb::read}}};

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

Verb parse_verb(std::string_view text) {
    return row_named(verbs, text, "verb").verb;
}

/// Ascending and without repeats.
std::vector<int> ascending(std::vector<int> numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

/// With depth 1: deep windows hide what a single message shows.
std::vector<int> depths_of(const PairsOptions& options) {
    std::vector<int> depths = options.depths;
    depths.push_back(1);
    return ascending(std::move(depths));
}

std::vector<std::uint64_t> sizes_of(const PairsOptions& options) {
    constexpr std::uint64_t most = std::uint64_t{1} << 60;
    std::vector<std::uint64_t> sizes = parse_byte_list(options.sizes);
    if (sizes.front() > 0 && sizes.back() <= most) return sizes;
    throw Error(ExitCode::usage,
                fmt::format("--sizes has a message of {} B", sizes.front() == 0 ? 0 : sizes.back()),
                "a message has 1 B to 1 EiB", "choose other sizes");
}

void append_latency(const PairsOptions& options, Verb verb, std::vector<PairCall>& calls) {
    for (const std::uint64_t bytes : sizes_of(options))
        calls.push_back({PairOperation::latency, Direction::round_trip, bytes, 1, verb});
}

std::vector<Direction> directions_of(const PairsOptions& options, const std::string& pattern,
                                     Verb verb) {
    if (pattern == "served") return {served_direction(PairOperation::bandwidth, verb)};
    if (options.directions.empty()) return {Direction::both};
    std::vector<Direction> chosen;
    for (const std::string& direction : options.directions)
        chosen.push_back(parse<Direction>(directions, direction));
    return chosen;
}

void append_bandwidth(const PairsOptions& options, const std::string& pattern, Verb verb,
                      std::vector<PairCall>& calls) {
    for (const Direction direction : directions_of(options, pattern, verb))
        for (const int queues : ascending(options.queues))
            for (const std::uint64_t bytes : sizes_of(options))
                for (const int depth : depths_of(options))
                    calls.push_back({PairOperation::bandwidth, direction, bytes, depth, verb,
                                     queues, options.signal_interval_of(depth)});
}

/// Everything that one matching is measured with on one memory, in order.
std::vector<PairCall> calls_of(const PairsOptions& options, const std::string& pattern) {
    std::vector<PairCall> calls;
    for (const std::string& operation : options.operations) {
        const bool is_latency =
            parse<PairOperation>(operations, operation) == PairOperation::latency;
        for (const std::string& name : options.verb_names()) {
            const Verb verb = parse_verb(name);
            if (is_latency)
                append_latency(options, verb, calls);
            else
                append_bandwidth(options, pattern, verb, calls);
        }
    }
    return calls;
}

Case make_case(const PairsOptions& options, const std::string& pattern, const std::string& memory,
               const PairCall& call, const Matching& matching, const std::string& digest) {
    const std::string operation = text_of(operations, call.operation);
    const std::string direction = text_of(directions, call.direction);
    const std::string verb(name_of(call.verb));
    Case c(fmt::format("{}/{}/{}/{}/{}/{}/{}x{}x{}/{}/{}/{}", operation, options.backend, memory,
                       pattern, verb, direction, call.bytes, call.depth, call.queues,
                       matching.rails, matching.repeat, matching.round),
           {{"operation", operation},
            {"backend", options.backend},
            {"memory", memory},
            {"pattern", pattern},
            {"verb", verb},
            {"direction", direction},
            {"bytes", static_cast<std::int64_t>(call.bytes)},
            {"depth", std::int64_t{call.depth}},
            {"queues", std::int64_t{call.queues}},
            {"signal_interval", std::int64_t{call.signal_interval}},
            {"rails", matching.rails},
            {"plane", matching.plane},
            {"repeat", std::int64_t{matching.repeat}},
            {"round", std::int64_t{matching.round}},
            {"pairs", std::int64_t{matching.pairs()}},
            {"matching", digest},
            {"served_host", matching.served},
            {"served_memory", matching.served.empty() ? "" : options.served.memory},
            {"group_ranks", std::int64_t{2}}});
    return c;
}

/// The cases of the matchings from `first` on, in order.
void append_cases(const PairsOptions& options, const std::string& pattern, const Fleet& fleet,
                  std::size_t first, PairsPlan& plan) {
    std::vector<std::string> digests;
    for (std::size_t i = first; i < plan.matchings.size(); ++i)
        digests.push_back(plan.matchings[i].digest(fleet));
    // Memories are compared with each other, so their cases follow each other.
    for (const PairCall& call : calls_of(options, pattern)) {
        for (const std::string& memory : options.memory_names()) {
            for (std::size_t i = first; i < plan.matchings.size(); ++i) {
                plan.cases.push_back(make_case(options, pattern, memory, call, plan.matchings[i],
                                               digests[i - first]));
                plan.matching_of_case.push_back(i);
            }
        }
    }
}

}  // namespace

std::vector<std::string> pair_operation_names() {
    return {operations.begin(), operations.end()};
}

std::string_view name_of(PairOperation operation) {
    return operations.at(static_cast<std::size_t>(operation));
}

std::vector<std::string> pair_verb_names() {
    return names_of(verbs);
}

std::string_view name_of(Verb verb) {
    return std::find_if(verbs.begin(), verbs.end(),
                        [&](const VerbName& row) { return row.verb == verb; })
        ->name;
}

PairsPlan plan_pairs(const PairsOptions& options, const Fleet& fleet, const Site* site) {
    PairsPlan plan;
    for (const std::string& pattern : options.patterns) {
        const std::size_t first = plan.matchings.size();
        std::vector<Matching> matchings = match_ranks(pattern, options, fleet, site);
        std::move(matchings.begin(), matchings.end(), std::back_inserter(plan.matchings));
        append_cases(options, pattern, fleet, first, plan);
    }
    return plan;
}

PairCall call_of(const Case& c) {
    return {parse<PairOperation>(operations, c.text("operation")),
            parse<Direction>(directions, c.text("direction")),
            static_cast<std::size_t>(c.integer("bytes")),
            static_cast<int>(c.integer("depth")),
            parse_verb(c.text("verb")),
            static_cast<int>(c.integer("queues")),
            static_cast<int>(c.integer("signal_interval"))};
}

}  // namespace railgauge
