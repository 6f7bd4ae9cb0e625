// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace railgauge {

/// Throws Error(library) naming `doing` and the MPI library's text unless `result` is MPI_SUCCESS.
/// Inline test, so that it may stand after a call in a timed loop; the throwing path is out of
/// line.
[[noreturn]] void throw_mpi_error(int result, const char* doing);

inline void check_mpi(int result, const char* doing) {
    if (result != 0) [[unlikely]]
        throw_mpi_error(result, doing);
}

}  // namespace railgauge
