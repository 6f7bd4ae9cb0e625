// SPDX-License-Identifier: Apache-2.0
#include "incast/plan.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/units.hpp"

namespace railgauge {
namespace {

constexpr std::array<std::string_view, 3> congestions{"isolated", "congested", "alone"};

std::string text_of(Congestion congestion) {
    return std::string(congestions.at(static_cast<std::size_t>(congestion)));
}

Congestion parse_congestion(std::string_view text) {
    const auto found = std::find(congestions.begin(), congestions.end(), text);
    if (found == congestions.end()) throw std::logic_error(fmt::format("'{}' is unknown", text));
    return static_cast<Congestion>(found - congestions.begin());
}

constexpr std::uint64_t most_message_bytes = std::uint64_t{1} << 60;

std::vector<std::uint64_t> message_sizes(const char* flag, const std::string& text) {
    std::vector<std::uint64_t> sizes = parse_byte_list(text);
    if (sizes.front() > 0 && sizes.back() <= most_message_bytes) return sizes;
    throw Error(
        ExitCode::usage,
        fmt::format("{} has a message of {} B", flag, sizes.front() == 0 ? 0 : sizes.back()),
        "a message has 1 B to 1 EiB", "choose another size");
}

std::size_t victim_size(const IncastOptions& options) {
    const auto sizes = message_sizes("--victim-size", options.victim_bytes);
    if (sizes.size() == 1) return sizes.front();
    throw Error(ExitCode::usage, fmt::format("--victim-size '{}' is no size", options.victim_bytes),
                "a victim's messages have one size", "name one, such as 8");
}

/// Of `wanted` the numbers that can be had, in their order, each once; "all" is `most`.
std::vector<int> sender_counts(const std::vector<std::string>& wanted, int most,
                               std::vector<std::string>& left_out) {
    std::vector<int> counts;
    for (const std::string& text : wanted) {
        const int count = text == "all" ? most : std::stoi(text);
        if (count > most || count == 0) {
            left_out.push_back(text);
        } else if (std::find(counts.begin(), counts.end(), count) == counts.end()) {
            counts.push_back(count);
        }
    }
    return counts;
}

std::string text_of_victim(const Cast& cast) {
    return cast.victim ? fmt::format("{}>{}", cast.victim->asker, cast.victim->answerer)
                       : std::string();
}

/// The ranks that receive, "0,4".
std::string text_of_receivers(const Cast& cast) {
    std::vector<int> ranks;
    for (const Crew& crew : cast.crews)
        ranks.push_back(crew.receiver);
    return fmt::format("{}", fmt::join(ranks, ","));
}

/// What a rank beyond the sweep's axes needs to know of a case.
struct Scene {
    const IncastOptions& options;
    const Cast& cast;
    std::string digest;
};

Case make_case(const Scene& scene, const IncastCall& call) {
    const IncastOptions& options = scene.options;
    const auto senders = static_cast<std::int64_t>(scene.cast.crews.front().senders.size());
    const std::string verb = options.verb_name();
    const std::string receivers = text_of_receivers(scene.cast);
    const std::string ramp = call.ramp ? "on" : "off";
    const std::string congestion = text_of(call.congestion);
    return Case(fmt::format("incast/{}/{}/{}/{}/{}x{}/{}x{}/{}/{}", options.backend, options.memory,
                            verb, receivers, senders, call.queues, call.bytes, call.depth,
                            options.victim, congestion),
                {{"operation", std::string("incast")},
                 {"backend", options.backend},
                 {"memory", options.memory},
                 {"verb", verb},
                 {"receivers", options.receivers},
                 {"receiver_ranks", receivers},
                 {"spread", options.spread},
                 {"senders", senders},
                 {"queues", std::int64_t{call.queues}},
                 {"bytes", static_cast<std::int64_t>(call.bytes)},
                 {"depth", std::int64_t{call.depth}},
                 {"ramp", ramp},
                 {"victim", options.victim},
                 {"victim_ranks", text_of_victim(scene.cast)},
                 {"victim_bytes", static_cast<std::int64_t>(call.victim_bytes)},
                 {"congestion", congestion},
                 {"rows_per_second", std::int64_t{options.rows_per_second}},
                 {"matching", scene.digest},
                 {"group_ranks", senders + 1}});
}

std::vector<Congestion> congestions_of(const Cast& cast) {
    if (!cast.victim) return {Congestion::alone};
    return {Congestion::isolated, Congestion::congested, Congestion::alone};
}

/// Everything that one cast is measured with, in order.
std::vector<IncastCall> calls_of(const IncastOptions& options, const Cast& cast) {
    const Verb verb = options.verb_name() == "write" ? Verb::write : Verb::send;
    const std::size_t victim_bytes = victim_size(options);
    std::vector<IncastCall> calls;
    for (const int queues : options.queues)
        for (const std::uint64_t bytes : message_sizes("--sizes", options.sizes))
            for (const int depth : options.depths)
                for (const Congestion congestion : congestions_of(cast))
                    calls.push_back(
                        {verb, bytes, queues, depth, options.ramp, congestion, victim_bytes});
    return calls;
}

void add_cases(const IncastOptions& options, const Fleet& fleet, Cast cast, IncastPlan& plan) {
    const Scene scene{options, cast, cast.digest(fleet)};
    for (const IncastCall& call : calls_of(options, cast)) {
        plan.cases.push_back(make_case(scene, call));
        plan.cast_of_case.push_back(plan.casts.size());
    }
    plan.casts.push_back(std::move(cast));
}

void require_cases(const IncastPlan& plan, const Fleet& fleet) {
    if (!plan.cases.empty()) return;
    throw Error(ExitCode::usage, "no receiver has enough senders",
                fmt::format("the job has {} ranks on {} nodes, and --spread, --receivers and "
                            "--victim leave fewer than --senders asks for",
                            fleet.ranks(), fleet.nodes()),
                "start more ranks, or use other --senders or --spread");
}

}  // namespace

IncastPlan plan_incast(const IncastOptions& options, const Fleet& fleet, const Site* site) {
    IncastPlan plan;
    for (const std::vector<int>& receivers : receiver_sets(options, fleet)) {
        const auto victim = choose_victim(options.victim, receivers, fleet, site);
        const int most = most_senders(options.spread, receivers, victim, fleet);
        std::vector<std::string> left_out;
        for (const int senders : sender_counts(options.senders, most, left_out)) {
            add_cases(options, fleet,
                      {make_crews(options.spread, receivers, victim, senders, fleet), victim},
                      plan);
        }
        if (left_out.empty()) continue;
        plan.remarks.push_back(
            fmt::format("rank {} can have {} senders: --senders {} is not "
                        "measured",
                        fmt::join(receivers, ","), most, fmt::join(left_out, ",")));
    }
    require_cases(plan, fleet);
    return plan;
}

IncastCall call_of_incast(const Case& c) {
    return {c.text("verb") == "write" ? Verb::write : Verb::send,
            static_cast<std::size_t>(c.integer("bytes")),
            static_cast<int>(c.integer("queues")),
            static_cast<int>(c.integer("depth")),
            c.text("ramp") == "on",
            parse_congestion(c.text("congestion")),
            static_cast<std::size_t>(c.integer("victim_bytes"))};
}

}  // namespace railgauge
