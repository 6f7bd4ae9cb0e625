// SPDX-License-Identifier: Apache-2.0
#include "watchdog/wording.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/utf8.hpp"

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

double seconds(milliseconds time) {
    return static_cast<double>(time.count()) / 1e3;
}

std::string describe_sequence(std::uint64_t sequence) {
    if (sequence == 0) return "";
    return sequence % 2 == 1 ? fmt::format(", iteration {}", sequence / 2)
                             : fmt::format(", after iteration {}", sequence / 2 - 1);
}

/// What is left of the run.
const char* aftermath(const Progress::Snapshot& at, const Plan& plan) {
    if (!plan.is_known()) return "nothing has been measured yet";
    return at.phase == Phase::finalize ? "all cases are kept"
                                       : "finished cases are kept, --resume goes on";
}

std::vector<int> with_link(const std::vector<int>& ranks, const std::vector<RankEntry>& entries,
                           bool missing) {
    std::vector<int> chosen;
    std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(chosen), [&](int rank) {
        return (entries[static_cast<std::size_t>(rank)].link == Link::missing) == missing;
    });
    return chosen;
}

std::string describe_silent(const std::vector<int>& silent, const std::vector<RankEntry>& ranks) {
    const std::vector<int> stopped = with_link(silent, ranks, false);
    const std::vector<int> missing = with_link(silent, ranks, true);
    std::string text;
    if (!stopped.empty()) {
        text = fmt::format("{} did not answer", format_ranks_on_hosts(stopped, ranks));
    }
    if (!missing.empty()) {
        text += fmt::format("{}{} never reported", text.empty() ? "" : ", ", format_ranks(missing));
    }
    return text;
}

std::string describe_late(const Judgement& judgement, const std::vector<RankEntry>& ranks,
                          const Plan& plan) {
    const RankEntry& latest = ranks[static_cast<std::size_t>(judgement.suspects.front())];
    const std::string who = format_ranks_on_hosts(judgement.suspects, ranks);
    const bool same_phase =
        latest.at.phase == judgement.place.phase && latest.at.case_id == judgement.place.case_id;
    if (same_phase) return fmt::format("{} had not entered it", who);
    return fmt::format("{} had not entered it, last seen in {}", who,
                       describe_place(latest.at, plan));
}

std::string describe_suspects(const Judgement& judgement, const std::vector<RankEntry>& ranks,
                              const Plan& plan) {
    const std::string who = format_ranks_on_hosts(judgement.suspects, ranks);
    switch (judgement.evidence) {
        case Evidence::died: return who + " died";
        case Evidence::no_answer: return describe_silent(judgement.suspects, ranks);
        case Evidence::not_entered: return describe_late(judgement, ranks, plan);
        case Evidence::never_left: return who + " had not left it, others had";
        case Evidence::asleep:
            return fmt::format(
                "all ranks were inside, but {} slept while others kept polling (a hint, no proof)",
                who);
        case Evidence::none: break;
    }
    return fmt::format("{} inside and nothing tells them apart",
                       ranks.size() == 1 ? "the only rank was" : "all ranks were");
}

std::string remedy(const Judgement& judgement, const std::vector<RankEntry>& ranks) {
    const std::string hosts = format_hosts(judgement.suspects, ranks);
    const std::string on = hosts.empty() ? "" : " on " + hosts;
    switch (judgement.evidence) {
        case Evidence::died: return "look for the reason (out of memory, a crash)" + on;
        case Evidence::no_answer:
            return "look for a stopped process, a dead node or control network" + on;
        case Evidence::none: return "suspect the fabric, or raise --timeout if it is that slow";
        default: return "look at that process' stack, GPU and NIC" + on;
    }
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

std::string describe_place(const Progress::Snapshot& at, const Plan& plan) {
    const CaseLabel* label = plan.find(at.case_id);
    if (at.phase == Phase::between && label != nullptr) {
        return fmt::format("phase between, after case {}", label->name);
    }
    if (!is_in_case(at)) return fmt::format("phase {}", to_text(at.phase));
    const std::string phase =
        fmt::format("phase {}{}", to_text(at.phase), describe_sequence(at.sequence));
    if (label == nullptr) return fmt::format("case {} ({})", at.case_id, phase);
    return fmt::format("case {} (operation {}, {} bytes, {})", label->name, label->operation,
                       label->bytes, phase);
}

std::string describe_expiry(const Judgement& judgement, const std::vector<RankEntry>& ranks,
                            const Plan& plan, milliseconds elapsed) {
    return fmt::format("no rank got on for {:.1f} s in {}: {}; {}; {}", seconds(elapsed),
                       describe_place(judgement.place, plan),
                       describe_suspects(judgement, ranks, plan), remedy(judgement, ranks),
                       aftermath(judgement.place, plan));
}

std::string describe_deaths(const std::vector<int>& dead, const std::vector<RankEntry>& ranks,
                            const Progress::Snapshot& at, const Plan& plan) {
    const Progress::Snapshot& reported = ranks[static_cast<std::size_t>(dead.front())].at;
    const std::string hosts = format_hosts(dead, ranks);
    return fmt::format(
        "{} died in {} (closed the connection to the deadline board without a word); "
        "look for the reason (out of memory, a crash){}; {}",
        format_ranks_on_hosts(dead, ranks),
        describe_place(is_before(reported, at) ? at : reported, plan),
        hosts.empty() ? "" : " on " + hosts, aftermath(at, plan));
}

std::string describe_interruption(const std::string& signal, const Progress::Snapshot& at,
                                  const std::vector<int>& missing, const Plan& plan) {
    std::string suspicion;
    if (!missing.empty()) {
        suspicion = fmt::format(", before {} had reported (died early, or not started)",
                                format_ranks(missing));
    }
    return fmt::format("interrupted by {} in {}{}; {}", signal, describe_place(at, plan), suspicion,
                       aftermath(at, plan));
}

std::string describe_lost_board(const RankEntry& board, const Progress::Snapshot& at,
                                const Plan& plan, milliseconds idle) {
    const std::string host = board.host.empty() ? "" : " on " + board.host;
    const char* what = board.link == Link::missing ? "could not be reached by the deadline watch"
                       : board.link == Link::gone  ? "died"
                       : board.link == Link::left  ? "has ended already"
                                                   : "does not answer";
    return fmt::format(
        "no progress for {:.1f} s in {}, and rank 0{} {}; look for a stopped process, a "
        "dead node or control network{}; {}",
        seconds(idle), describe_place(at, plan), host, what, host, aftermath(at, plan));
}

void say(const std::string& program, int rank, const std::string& text) {
    const std::string who = rank > 0 ? fmt::format("{}: rank {}", program, rank) : program;
    // A pipe that is ready takes PIPE_BUF bytes without waiting.
    const std::string line =
        whole_characters(fmt::format("{}: {}", who, one_line(text)), PIPE_BUF - 1) + "\n";
    pollfd ready{STDERR_FILENO, POLLOUT, 0};
    constexpr int patience_ms = 500;
    if (::poll(&ready, 1, patience_ms) != 1 || (ready.revents & POLLOUT) == 0) return;
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace railgauge::board
