// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/team.hpp"
#include "program/options.hpp"
#include "program/program.hpp"

namespace railgauge {

/// What argv says. Parsing happens before MPI_Init, so a mistake is kept here until the ranks can
/// agree on it.
struct CommandLine {
    RunOptions run;
    MeasureOptions measure;
    WindowOptions window;
    std::vector<std::string> argv;
    std::optional<Failure> mistake;
    std::string answer;  ///< text of --help or --version: print it and stop
};

/// What --version answers: name, version and git revision, one line.
std::string version_line(const std::string& name);

/// Parses argv; the program's own options are set in it.
void parse_command_line(int argc, char** argv, Program& program, CommandLine& line);

}  // namespace railgauge
