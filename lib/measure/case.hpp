// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace railgauge {

using Value = std::variant<std::int64_t, double, std::string>;

/// One independent variable of a case: a column of /cases.
struct Variable {
    std::string name;
    Value value;
};

std::string to_text(const Value& value);

/// One tuple of independent variables, measured as a whole. Identical on every rank.
class Case {
  public:
    Case(std::string name, std::vector<Variable> variables);

    /// Position in the plan; names the case's groups in the run file.
    int id() const noexcept { return id_; }
    void set_id(int id) noexcept { id_ = id; }

    /// Unique and stable in a run: "all_reduce/mpi/host/float32/sum/out/1048576".
    const std::string& name() const noexcept { return name_; }
    const std::vector<Variable>& variables() const noexcept { return variables_; }

    /// Adds a variable that follows from the others (a count) or says how the case is run.
    void annotate(std::string name, Value value);

    bool has(std::string_view name) const;

    /// @throws std::logic_error when the case has no such variable or it is of the other type.
    std::int64_t integer(std::string_view name) const;
    const std::string& text(std::string_view name) const;

  private:
    const Value& at(std::string_view name) const;

    int id_ = -1;
    std::string name_;
    std::vector<Variable> variables_;
};

enum class CaseStatus { planned, done, wrong, failed, skipped, expired };

std::string_view to_text(CaseStatus status);

/// @throws Error(usage) when `text` names no status.
CaseStatus parse_case_status(std::string_view text);

/// What a library under test chose for a case; empty and -1 = unknown.
struct LibraryChoice {
    std::string algorithm;
    std::string protocol;
    std::int64_t channels = -1;
};

/// Elements compared and found different in check rounds.
struct CheckTally {
    std::uint64_t checked = 0;
    std::uint64_t wrong = 0;
};

/// What became of a case; the bookkeeping columns of /cases.
struct CaseResult {
    CaseStatus status = CaseStatus::planned;
    std::string reason;
    std::uint64_t checked_elements = 0;
    std::uint64_t wrong_elements = 0;
    CheckTally own_check;                 ///< of this rank
    std::vector<CheckTally> rank_checks;  ///< on rank 0, by rank; the Recorder fills it in
    std::uint64_t samples = 0;            ///< over all ranks; the Recorder fills it in
    std::int64_t started_ns = 0;
    std::int64_t wall_ns = 0;
    std::int64_t clock_error_ns = 0;  ///< bound of the common clock's error on any rank
    std::uint64_t ops_per_sample = 1;
    std::uint64_t algbw_bytes = 0;
    double bus_factor = 0;  ///< NaN where busbw has no meaning
    LibraryChoice choice;
    std::vector<std::uint64_t> blocks;
};

}  // namespace railgauge
