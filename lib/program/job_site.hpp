// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <mpi.h>

#include "measure/team.hpp"
#include "site/site.hpp"

namespace railgauge {

/// The job's site file: its text, and what it says. Both empty when none was given.
struct JobSite {
    std::string text;
    std::optional<Site> site;
    std::optional<Failure> mistake;  ///< kept until the ranks can agree on it
};

/// Reads the site file, where this process may be rank 0. Happens before MPI_Init, because the
/// deadline board listens on the site's control interface.
///
/// @param launched_rank from the launcher; -1 = not said
JobSite read_job_site(const std::filesystem::path& path, int launched_rank);

/// The interface that the deadline board listens on: the one `given` on the command line, else the
/// site's. Only rank 0 knows it so early, and only rank 0 listens. Empty = any.
std::string board_interface(const std::string& given, const JobSite& site);

/// Gives every rank what rank 0 read. Collective.
/// @throws AgreedError(usage) on all ranks when rank 0 could not read the file or it has mistakes
JobSite share_job_site(MPI_Comm comm, Team& team, JobSite own, const std::filesystem::path& path);

}  // namespace railgauge
