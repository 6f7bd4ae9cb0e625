// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/file_descriptor.hpp"

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

}  // namespace railgauge
