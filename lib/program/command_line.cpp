// SPDX-License-Identifier: Apache-2.0
#include "program/command_line.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "program/version.hpp"

namespace railgauge {
namespace {

void parse(CLI::App& app, int argc, char** argv, const std::string& name, CommandLine& line) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        line.answer = app.help();
    } catch (const CLI::CallForVersion&) {
        line.answer = version_line(name);
    } catch (const CLI::ParseError& error) {
        throw Error(ExitCode::usage, "the command line is not understood", error.what(),
                    fmt::format("see {} --help", name));
    }
}

}  // namespace

std::string version_line(const std::string& name) {
    return fmt::format("{} {} ({})\n", name, version, git_revision);
}

void parse_command_line(int argc, char** argv, Program& program, CommandLine& line) {
    const std::string name = fmt::format("railgauge-{}", program.name());
    line.argv.assign(argv, argv + argc);
    CLI::App app(std::string(program.description()), name);
    app.set_version_flag("--version");
    app.get_formatter()->column_width(34);
    program.add_options(app);
    if (program.kind() == WorkloadKind::iteration) line.measure.add_to(app);
    if (program.kind() == WorkloadKind::window) line.window.add_to(app);
    line.run.add_to(app);
    line.mistake = attempt([&] {
        parse(app, argc, argv, name, line);
        line.measure.validate();
        line.run.validate();
    });
    if (line.run.out.empty()) line.run.out = default_out(std::string(program.name()));
}

}  // namespace railgauge
