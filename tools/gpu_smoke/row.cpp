// SPDX-License-Identifier: Apache-2.0
#include "row.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "cuda/gpu.hpp"

namespace railgauge::smoke {
namespace {

constexpr std::array<const char*, 3> outcome_texts{"PASS", "FAIL", "SKIP"};

const char* to_text(Outcome outcome) {
    return outcome_texts.at(static_cast<std::size_t>(outcome));
}

/// Cuts the text before `end` off.
std::string take(std::string_view& text, char end) {
    const std::size_t length = text.find(end);
    std::string field(text.substr(0, length));
    text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
    return field;
}

Outcome parse_outcome(std::string_view text) {
    if (text == "PASS") return Outcome::pass;
    return text == "SKIP" ? Outcome::skip : Outcome::fail;
}

}  // namespace

std::string to_line(const Row& row) {
    return fmt::format("{:<36} {}  {:<34} {}", row.name, to_text(row.outcome), row.figure,
                       row.remark);
}

std::string to_record(const Row& row) {
    return fmt::format("{}\t{}\t{}\t{}\t\n", row.name, to_text(row.outcome), row.figure,
                       one_line(row.remark));
}

std::vector<Row> from_records(std::string_view text) {
    std::vector<Row> rows;
    while (!text.empty()) {
        const std::string line = take(text, '\n');
        std::string_view rest = line;
        Row row{.name = take(rest, '\t'), .outcome = Outcome::fail, .figure = {}, .remark = {}};
        row.outcome = parse_outcome(take(rest, '\t'));
        row.figure = take(rest, '\t');
        row.remark = take(rest, '\t');
        rows.push_back(std::move(row));
    }
    return rows;
}

Row guarded(const std::string& name, const std::function<Row()>& check) {
    try {
        return check();
    } catch (const std::exception& error) {
        return {name, Outcome::fail, "-", one_line(error.what())};
    }
}

Row judged(std::string name, bool is_good, std::string figure, std::string rule) {
    if (is_gpu_double())
        return {std::move(name), Outcome::pass, std::move(figure), "RIG: a time of the double"};
    return {std::move(name), is_good ? Outcome::pass : Outcome::fail, std::move(figure),
            std::move(rule)};
}

}  // namespace railgauge::smoke
