// SPDX-License-Identifier: Apache-2.0
#include "mpi/check.hpp"

#include <array>

#include <fmt/format.h>
#include <mpi.h>

#include "base/error.hpp"

namespace railgauge {

void throw_mpi_error(int result, const char* doing) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(result, text.data(), &length);
    throw Error(ExitCode::library, fmt::format("MPI failed while {}", doing),
                std::string(text.data(), static_cast<std::size_t>(length)),
                "check the job's nodes and links, then go on with --resume");
}

}  // namespace railgauge
