// SPDX-License-Identifier: Apache-2.0
#include "collective/plan.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/units.hpp"
#include "collective/groups.hpp"
#include "measure/sweep.hpp"

namespace railgauge {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 60;

std::vector<std::uint64_t> parse_sizes(const std::string& text) {
    std::vector<std::uint64_t> sizes = parse_byte_list(text);
    if (sizes.back() > most_bytes) {
        throw Error(ExitCode::usage, fmt::format("{} B is too large", sizes.back()),
                    "no buffer can have more than 1 EiB", "use smaller --sizes");
    }
    return sizes;
}

void require_root(int root, int ranks) {
    if (root >= 0 && root < ranks) return;
    throw Error(ExitCode::usage, fmt::format("root {} does not exist", root),
                fmt::format("a group has {} ranks", ranks),
                fmt::format("use --root 0 to {}", ranks - 1));
}

std::vector<Value> as_values(const std::vector<std::string>& texts) {
    return {texts.begin(), texts.end()};
}

/// Of the places asked for, those the operation has.
std::vector<std::string> places_of(const CollectiveOptions& options, const OperationRow& row) {
    std::vector<std::string> places{"out", "in"};
    if (row.in_place == InPlace::no) std::erase(places, "in");
    if (options.place != "both")
        std::erase_if(places, [&](const std::string& place) { return place != options.place; });
    return places;
}

/// What a plan is made for, all the way down.
struct Scope {
    const CollectiveOptions& options;
    const PlannedGroups& groups;
    std::string buffers;
    PlannedGroups::Active active;
};

/// The columns that say which groups a case is for and how it is launched.
void annotate_scope(const Scope& scope, Case& c) {
    const CollectiveOptions& options = scope.options;
    c.annotate("split", options.split);
    c.annotate("active", scope.active.name);
    c.annotate("active_group", std::int64_t{scope.active.number});
    c.annotate("group_ranks", std::int64_t{scope.groups.ranks});
    c.annotate("buffers", scope.buffers);
    c.annotate("aggregate", std::int64_t{options.manner.together});
    c.annotate("graph", std::int64_t{options.manner.captured});
    if (options.backend != "nccl") return;
    c.annotate("cta_policy", options.nccl.cta_policy);
    c.annotate("min_ctas", std::int64_t{options.nccl.min_ctas});
    c.annotate("max_ctas", std::int64_t{options.nccl.max_ctas});
    c.annotate("traffic_class", std::int64_t{options.nccl.traffic_class});
}

/// What a case's name has besides its axes, when it is not the usual: "/registered/rail/rail2".
std::string name_suffix(const Scope& scope) {
    std::string suffix;
    if (scope.options.buffers.size() > 1 || scope.buffers != "plain") suffix += "/" + scope.buffers;
    if (scope.options.split == no_split) return suffix;
    return fmt::format("{}/{}/{}", suffix, scope.options.split, scope.active.name);
}

/// The sweep of one operation and one type.
class TypeSweep {
  public:
    TypeSweep(const Scope& scope, const OperationRow& row, DataType type)
        : scope_(scope),
          options_(scope.options),
          row_(row),
          type_(type),
          ranks_(scope.groups.ranks) {
        const CollectiveOptions& options = scope.options;
        for (const std::uint64_t size : parse_sizes(options.sizes))
            add_size(size);
    }

    bool complete() const { return vanished_.empty(); }

    /// What was left out, and why.
    std::string remark() const {
        return fmt::format("{} of {} on {} ranks leaves out {} B: one element per rank takes {} B",
                           row_.name, to_text(type_), ranks_, fmt::join(vanished_, ", "),
                           least_bytes());
    }

    std::vector<Case> cases() const {
        std::vector<Case> cases;
        for (const Case& plain : sweep().cases()) {
            Case c(plain.name() + name_suffix(scope_), plain.variables());
            const auto bytes = static_cast<std::uint64_t>(c.integer("bytes"));
            const std::size_t count = count_within(row_, bytes, type_, ranks_);
            c.annotate("count", static_cast<std::int64_t>(count));
            c.annotate("root", std::int64_t{is_rooted(row_) ? options_.root : -1});
            if (row_.operation == Operation::alltoallv) c.annotate("spread", options_.spread());
            annotate_scope(scope_, c);
            cases.push_back(std::move(c));
        }
        return cases;
    }

  private:
    std::size_t least_bytes() const { return larger_elements(row_, 1, ranks_) * size_of(type_); }

    void add_size(std::uint64_t size) {
        const std::size_t count = count_within(row_, size, type_, ranks_);
        if (count == 0) {
            vanished_.push_back(size);
            return;
        }
        const Value bytes = static_cast<std::int64_t>(count * least_bytes());
        // Two sizes may round to the same case.
        if (bytes_.empty() || bytes_.back() != bytes) bytes_.push_back(bytes);
    }

    Sweep sweep() const {
        Sweep sweep;
        sweep.axis("operation", {std::string(row_.name)})
            .axis("backend", {options_.backend})
            .axis("memory", {options_.memory_name()})
            .axis("dtype", {std::string(to_text(type_))})
            .axis("redop", row_.reduces == Reduces::yes ? as_values(options_.reductions)
                                                        : as_values({"none"}))
            .axis("place", as_values(places_of(options_, row_)))
            .axis("bytes", bytes_);
        return sweep;
    }

    const Scope& scope_;
    const CollectiveOptions& options_;
    const OperationRow& row_;
    DataType type_;
    int ranks_;
    std::vector<Value> bytes_;
    std::vector<std::uint64_t> vanished_;
};

void append(std::vector<Case>& cases, std::vector<Case> more) {
    std::move(more.begin(), more.end(), std::back_inserter(cases));
}

CollectivePlan plan_operation(const Scope& scope, const OperationRow& row) {
    const CollectiveOptions& options = scope.options;
    CollectivePlan plan;
    if (const std::string why = obstacle(row, scope.groups.ranks); !why.empty()) {
        plan.left_out.push_back(why);
        return plan;
    }
    if (places_of(options, row).empty()) {
        plan.left_out.push_back(fmt::format("{} takes two buffers", row.name));
        return plan;
    }
    for (const std::string& name : options.types) {
        const DataType type = parse_data_type(name);
        if (type == DataType::bytes && row.reduces == Reduces::yes) {
            plan.left_out.push_back(
                fmt::format("{} leaves out bytes: they are no numbers", row.name));
            continue;
        }
        const TypeSweep sweep(scope, row, type);
        if (!sweep.complete()) plan.left_out.push_back(sweep.remark());
        append(plan.cases, sweep.cases());
    }
    return plan;
}

[[noreturn]] void refuse(const std::string& what, const std::vector<std::string>& left_out) {
    throw Error(ExitCode::usage, fmt::format("nothing of {} can be measured", what),
                fmt::format("{}", fmt::join(left_out, "; ")),
                "use larger --sizes, another --dtype, --place or number of ranks");
}

/// The life of communicators: one case for all groups.
Case communicator_case(const Scope& scope) {
    Sweep sweep;
    sweep.axis("operation", {std::string(communicator_operation)})
        .axis("backend", {scope.options.backend})
        .axis("memory", {scope.options.memory_name()});
    const Case plain = sweep.cases().front();
    const bool is_split = scope.options.split != no_split;
    Case c(plain.name() + (is_split ? "/" + scope.options.split : ""), plain.variables());
    for (const char* name : {"dtype", "redop"})
        c.annotate(name, std::string("none"));
    c.annotate("place", std::string("out"));
    for (const char* name : {"bytes", "count"})
        c.annotate(name, std::int64_t{0});
    c.annotate("root", std::int64_t{-1});
    annotate_scope(scope, c);
    return c;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The operations of one kind of buffer and one choice of groups.
CollectivePlan plan_scope(const Scope& scope) {
    CollectivePlan plan;
    const std::vector<std::string>& asked = scope.options.operations;
    const bool all = contains(asked, "all");
    for (const std::string& name : all ? operation_names() : asked) {
        if (name == communicator_operation) continue;
        CollectivePlan part = plan_operation(scope, find_operation(name));
        if (part.cases.empty() && !all) refuse(name, part.left_out);
        append(plan.cases, std::move(part.cases));
        plan.left_out.insert(plan.left_out.end(), part.left_out.begin(), part.left_out.end());
    }
    return plan;
}

}  // namespace

CollectivePlan plan_collectives(const CollectiveOptions& options, const PlannedGroups& groups) {
    require_root(options.root, groups.ranks);
    CollectivePlan plan;
    if (contains(options.operations, communicator_operation))
        plan.cases.push_back(communicator_case({options, groups, "plain", {}}));
    for (const std::string& buffers : options.buffers) {
        for (const PlannedGroups::Active& active : groups.active) {
            CollectivePlan part = plan_scope({options, groups, buffers, active});
            append(plan.cases, std::move(part.cases));
            plan.left_out = std::move(part.left_out);  // the same for each
        }
    }
    if (plan.cases.empty()) refuse("all operations", plan.left_out);
    return plan;
}

bool is_collective(const Case& c) {
    return c.text("operation") != communicator_operation;
}

int active_group(const Case& c) {
    return static_cast<int>(c.integer("active_group"));
}

CollectiveCall call_of(const Case& c) {
    CollectiveCall call{};
    call.operation = find_operation(c.text("operation")).operation;
    call.type = parse_data_type(c.text("dtype"));
    call.reduce = parse_reduce_operation(c.text("redop"));
    call.place = parse_place(c.text("place"));
    call.root = static_cast<int>(c.integer("root"));
    call.count = static_cast<std::size_t>(c.integer("count"));
    return call;
}

BufferBytes buffer_bytes(const CollectiveCall& call, int ranks) {
    const OperationRow& row = row_of(call.operation);
    const std::size_t element = size_of(call.type);
    if (call.place == Place::in) return {0, larger_elements(row, call.count, ranks) * element};
    return {send_elements(row, call.count, ranks) * element,
            receive_elements(row, call.count, ranks) * element};
}

}  // namespace railgauge
