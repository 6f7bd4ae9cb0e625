// SPDX-License-Identifier: Apache-2.0
#include "record/run_header.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "record/output_file.hpp"
#include "record/run_paths.hpp"
#include "record/values.hpp"

namespace railgauge {
namespace {

using hdf5::write_attribute;

/// Undecodable bytes are replaced: an argument may be anything.
std::string json_array(const std::vector<std::string>& texts) {
    return nlohmann::json(texts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void write_root(hid_t file, const RunContext& context) {
    write_attribute(file, "schema", run_schema);
    write_attribute(file, "program", context.program);
    write_attribute(file, "version", context.version);
    write_attribute(file, "git_revision", context.git_revision);
    write_attribute(file, "argv", json_array(context.argv));
    write_attribute(file, "origin", context.origin);
    write_attribute(file, "started_utc", context.started_utc);
    write_attribute(file, "clock_unix_ns", context.clock_unix_ns);
    write_attribute(file, "plan_id", context.plan_id);
    write_attribute(file, "ranks", static_cast<std::int32_t>(context.ranks.size()));
    write_attribute(file, "nodes", static_cast<std::int32_t>(context.nodes.size()));
}

Table rank_table(const std::vector<RankRow>& ranks) {
    Table table;
    table.add("rank", ranks, &RankRow::rank);
    table.add("node", ranks, &RankRow::node);
    table.add("local_rank", ranks, &RankRow::local_rank);
    table.add("host", ranks, &RankRow::host);
    table.add("gpu_index", ranks, &RankRow::gpu_index);
    table.add("gpu_uuid", ranks, &RankRow::gpu_uuid);
    table.add("gpu_pci", ranks, &RankRow::gpu_pci);
    table.add("nic", ranks, &RankRow::nic);
    table.add("rail", ranks, &RankRow::rail);
    table.add("numa", ranks, &RankRow::numa);
    table.add("cpus", ranks, &RankRow::cpus);
    table.add("clock_offset_ns", ranks, &RankRow::clock_offset_ns);
    table.add("clock_error_ns", ranks, &RankRow::clock_error_ns);
    return table;
}

void write_nodes(hid_t file, const std::vector<NodeFacts>& nodes) {
    const hdf5::Group parent = hdf5::create_group(file, "nodes");
    for (const NodeFacts& node : nodes) {
        const hdf5::Group group = hdf5::create_group(parent.get(), node_group(node.host));
        write_attribute(group.get(), "node", static_cast<std::int32_t>(node.node));
        hdf5::write_text(group.get(), "facts", node.json);
    }
}

[[noreturn]] void refuse(hid_t file, const std::string& why) {
    throw Error(ExitCode::usage,
                fmt::format("the run of {} cannot be resumed", hdf5::file_of(file)), why,
                "give the arguments it was started with, or --overwrite or another --out");
}

/// A run of two versions could not be compared with one of either.
void require_same_version(hid_t file, const RunContext& context) {
    const std::string version = hdf5::read_text_attribute(file, "version");
    const std::string revision = hdf5::read_text_attribute(file, "git_revision");
    if (version == context.version && revision == context.git_revision) return;
    refuse(file, fmt::format("it was measured by version {} ({}) and this is {} ({})", version,
                             revision, context.version, context.git_revision));
}

/// Ranks on other nodes would be reported under the names of the first attempt's.
void require_same_hosts(hid_t file, const std::vector<RankRow>& ranks) {
    const Table stored = read_table(file, "ranks", ranks.size());
    const Table::Column* column = stored.find("host");
    const auto* hosts =
        column == nullptr ? nullptr : std::get_if<std::vector<std::string>>(&column->cells);
    if (hosts == nullptr) refuse(file, "its ranks have no hosts");
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if ((*hosts)[i] == ranks[i].host) continue;
        refuse(file, fmt::format("its rank {} ran on {} and is on {} now", i, (*hosts)[i],
                                 ranks[i].host));
    }
}

}  // namespace

void write_header(const std::filesystem::path& path, const RunContext& context,
                  const Table& planned) {
    OutputFile file(path);
    write_root(file.id(), context);
    write_table(file.id(), "ranks", rank_table(context.ranks));
    write_nodes(file.id(), context.nodes);
    if (!context.site.empty()) hdf5::write_text(file.id(), "site", context.site);
    if (!context.site_json.empty()) hdf5::write_text(file.id(), "site_json", context.site_json);
    write_table(file.id(), "cases", planned);
    file.commit();
}

void require_same_plan(hid_t file, const std::string& plan_id) {
    const std::string schema = hdf5::read_text_attribute(file, "schema");
    if (schema != run_schema && !schema.starts_with(std::string(run_schema) + ".")) {
        refuse(file,
               fmt::format("its schema is {} and this program writes {}", schema, run_schema));
    }
    if (hdf5::read_text_attribute(file, "plan_id") != plan_id) {
        refuse(file, "it has another plan of cases");
    }
}

ResumedHeader read_header(hid_t file, const RunContext& context) {
    require_same_plan(file, context.plan_id);
    const std::int64_t ranks = hdf5::read_integer_attribute(file, "ranks");
    if (ranks != static_cast<std::int64_t>(context.ranks.size())) {
        refuse(file, fmt::format("it has {} ranks and this job {}", ranks, context.ranks.size()));
    }
    require_same_version(file, context);
    require_same_hosts(file, context.ranks);
    return {hdf5::read_integer_attribute(file, "clock_unix_ns")};
}

}  // namespace railgauge
