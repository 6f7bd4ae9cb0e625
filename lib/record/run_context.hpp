// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

/// Schema of run files (docs/run-file.md).
inline constexpr std::string_view run_schema = "railgauge/1";

/// One row of /ranks.
struct RankRow {
    int rank = 0;
    int node = 0;
    int local_rank = 0;
    std::string host;
    int gpu_index = -1;
    std::string gpu_uuid;
    std::string gpu_pci;
    std::string nic;
    int rail = -1;
    int numa = -1;
    std::string cpus;
    std::int64_t clock_offset_ns = 0;
    std::int64_t clock_error_ns = 0;
};

/// One group of /nodes.
struct NodeFacts {
    int node = 0;
    std::string host;  ///< unique in the run
    std::string json;
};

/// Everything of the header that is known before the first case. Complete on rank 0, unread
/// elsewhere.
struct RunContext {
    std::string program;
    std::string version;
    std::string git_revision;
    std::vector<std::string> argv;
    std::string origin = "hardware";
    std::string started_utc;
    std::int64_t clock_unix_ns = 0;
    std::string plan_id;
    std::vector<RankRow> ranks;
    std::vector<NodeFacts> nodes;
    std::string site;       ///< the site file's text; empty = none given
    std::string site_json;  ///< what that text means; empty = none given
};

/// What becomes of a run that exists already under the name of the new one.
enum class ExistingRun { refuse, overwrite, resume };

/// Who writes the samples of a case: rank 0 what it gathers, or every rank its own. The files are
/// alike, and a run begun by one may be resumed by the other.
enum class Writer { gather, parallel };

}  // namespace railgauge
