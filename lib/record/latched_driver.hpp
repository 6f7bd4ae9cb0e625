// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "record/hdf5.hpp"

namespace railgauge::hdf5 {

/// A disk file as HDF5 sees it: every write succeeds. The first that does not is kept here, what
/// follows it is dropped, and the owner looks at the end.
///
/// Why: HDF5 1.10 cannot close a file that it failed to flush. Such a file crashes the process at
/// MPI_Finalize or exit, whatever is done with it.
struct LatchedFile {
    int descriptor = -1;
    std::function<void()> on_write;  ///< called before each write, if there is one; may not throw
    int error = 0;                   ///< errno of the first write that failed
};

/// Access by which H5Fcreate and H5Fopen use `file`, whatever name they are given. `file` and its
/// descriptor, open for reading and writing, must outlive the HDF5 file.
PropertyList latched_access(LatchedFile& file);

}  // namespace railgauge::hdf5
