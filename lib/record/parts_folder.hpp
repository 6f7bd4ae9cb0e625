// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/file_descriptor.hpp"
#include "record/run_paths.hpp"

namespace railgauge {

/// Keeps two jobs from writing one parts folder. The kernel drops it however the process ends.
class RunLock {
  public:
    /// Creates `path` when it is missing and locks it. Where the file system knows no locks the run
    /// goes on without one, and says so.
    /// @throws Error(usage) when another process holds it
    explicit RunLock(const std::filesystem::path& path);

  private:
    FileDescriptor file_;
};

/// `<out>.parts/`, held by this job. Only files of a run are ever removed from it; the destructor
/// removes the folder when nothing else is in it.
class PartsFolder {
  public:
    /// Creates the folder when it is missing and locks it.
    /// @throws Error(usage) when another job writes there; Error(library) when it cannot be made
    explicit PartsFolder(const RunPaths& paths);
    ~PartsFolder();
    PartsFolder(const PartsFolder&) = delete;
    PartsFolder& operator=(const PartsFolder&) = delete;

    /// Whether a run began here: there is a header or a part.
    bool has_run() const;

    /// Removes the run: header, parts, archive and what a killed job left.
    void clear() const;

    /// Removes what a killed job left: unfinished files and the report of a deadline.
    void remove_leftovers() const;

  private:
    RunPaths paths_;
    RunLock lock_;
};

}  // namespace railgauge
