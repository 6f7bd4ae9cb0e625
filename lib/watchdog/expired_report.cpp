// SPDX-License-Identifier: Apache-2.0
#include "watchdog/expired_report.hpp"

#include <nlohmann/json.hpp>

namespace railgauge::board {
namespace {

using nlohmann::ordered_json;

double seconds(milliseconds time) {
    return static_cast<double>(time.count()) / 1e3;
}

ordered_json rank_json(const RankEntry& entry, RankState state, const LibraryReport& library) {
    ordered_json object{
        {"rank", entry.rank},
        {"host", entry.host},
        {"phase", std::string(to_text(entry.at.phase))},
        {"sequence", entry.at.sequence == Progress::resting ? 0 : entry.at.sequence},
        {"state", std::string(to_text(state))},
        {"cpu_ms", entry.cpu_ms}};
    if (library.describe) object["library_error"] = library.describe(entry.library_error);
    return object;
}

}  // namespace

int expired_case(const ExpiredReport& report) {
    const auto& place = report.judgement.place;
    if (!report.ranks.empty() && is_in_case(report.ranks.front().at)) {
        return report.ranks.front().at.case_id;
    }
    return is_in_case(place) ? place.case_id : -1;
}

std::string to_json(const ExpiredReport& report, const Plan& plan) {
    const int case_id = expired_case(report);
    const CaseLabel* label = plan.find(case_id);
    const CaseLabel shown = label != nullptr ? *label : CaseLabel{};
    ordered_json ranks = ordered_json::array();
    for (std::size_t i = 0; i < report.ranks.size(); ++i) {
        ranks.push_back(rank_json(report.ranks[i], report.judgement.states[i], report.library));
    }
    ordered_json object = {{"schema", report.schema},
                           {"plan_id", plan.id},
                           {"case", case_id},
                           {"case_name", shown.name},
                           {"operation", shown.operation},
                           {"bytes", shown.bytes},
                           {"phase", std::string(to_text(report.judgement.place.phase))},
                           {"deadline_s", seconds(report.deadline)},
                           {"elapsed_s", seconds(report.elapsed)},
                           {"text", report.text},
                           {"ranks", ranks}};
    if (!report.library.evidence.empty()) object["library_monitor"] = report.library.evidence;
    return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace railgauge::board
