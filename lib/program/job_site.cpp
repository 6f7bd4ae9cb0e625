// SPDX-License-Identifier: Apache-2.0
#include "program/job_site.hpp"

#include <utility>

#include "mpi/gather_texts.hpp"
#include "site/site_file.hpp"

namespace railgauge {

JobSite read_job_site(const std::filesystem::path& path, int launched_rank) {
    JobSite own;
    if (path.empty() || launched_rank > 0) return own;
    own.mistake = attempt([&] {
        own.text = read_site_text(path);
        own.site = parse_site(own.text, path.native());
    });
    return own;
}

std::string board_interface(const std::string& given, const JobSite& site) {
    if (!given.empty() || !site.site) return given;
    return site.site->control_interface.value_or("");
}

JobSite share_job_site(MPI_Comm comm, Team& team, JobSite own, const std::filesystem::path& path) {
    const bool is_root = team.rank() == 0;
    // The launcher's word on who is rank 0 may have been of another job.
    if (is_root && !own.site && !own.mistake) own = read_job_site(path, 0);
    team.agree(is_root ? own.mistake : std::nullopt, {});
    JobSite shared;
    shared.text = broadcast_text(comm, 0, std::move(own.text));
    agreed(team, [&] {
        if (shared.text.empty()) return;
        shared.site = is_root ? std::move(own.site) : parse_site(shared.text, path.native());
    });
    return shared;
}

}  // namespace railgauge
