// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace railgauge {

/// MPI_Init .. MPI_Finalize.
///
/// close() finalizes; a destructor that runs without it (an exception is under way) ends the whole
/// job by MPI_Abort, since the other ranks would wait for this one for ever.
class MpiSession {
  public:
    MpiSession(int& argc, char**& argv);
    ~MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;

    void close();

    /// Ends the whole job with `code`; does not return.
    [[noreturn]] static void abort(int code);

  private:
    bool open_ = true;
};

/// What the launcher says before MPI_Init (Open MPI, PMIx or Slurm variables).
struct LauncherIdentity {
    int rank = -1;  ///< -1 = not said
    int size = -1;
};

LauncherIdentity launcher_identity();

}  // namespace railgauge
