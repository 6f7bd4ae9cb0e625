// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge::smoke {

enum class Outcome { pass, fail, skip };

/// What one check found: a line of the table.
struct Row {
    std::string name;
    Outcome outcome;
    std::string figure;
    std::string remark;
};

/// As a line of the table.
std::string to_line(const Row& row);

/// Between processes: fields end in tabs, rows in line breaks.
std::string to_record(const Row& row);
std::vector<Row> from_records(std::string_view text);

/// What `check` returns; a failed row when it throws.
Row guarded(const std::string& name, const std::function<Row()>& check);

/// The outcome of a figure that only hardware can have: on the GPU double it is shown, not judged.
Row judged(std::string name, bool is_good, std::string figure, std::string rule);

}  // namespace railgauge::smoke
