// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace railgauge {

/// Whether the command line is that of a receiver outside MPI: it has --serve.
bool is_serving(int argc, const char* const* argv);

/// railgauge-pairs --serve: serves what ranks elsewhere measure with --pattern served, until a
/// signal or its last session ends it. Never touches MPI. Returns the exit code.
int run_server(int argc, char** argv);

}  // namespace railgauge
