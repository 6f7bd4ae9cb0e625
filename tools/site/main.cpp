// SPDX-License-Identifier: Apache-2.0
// railgauge-site FILE: validates a site file without a job. Prints what it means as JSON, or every
// mistake on a line of its own to stderr.
#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "base/log.hpp"
#include "site/parse.hpp"
#include "site/site_file.hpp"

namespace railgauge {
namespace {

constexpr const char* usage =
    "usage: railgauge-site FILE (validates a site file and prints it as JSON)\n";

ExitCode validate(const std::string& path) {
    const SiteReading reading = read_site(read_site_text(path), path);
    for (const std::string& mistake : reading.mistakes)
        std::fputs((mistake + "\n").c_str(), stderr);
    if (!reading.site) return ExitCode::usage;
    const std::string json = site_json(*reading.site) + "\n";
    if (std::fputs(json.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return ExitCode::done;
    throw Error(ExitCode::library, "the JSON could not be written", "stdout refused it",
                "check the disk or pipe that it goes to");
}

int run(int argc, char** argv) {
    set_log_identity("railgauge-site", -1);
    const std::string argument = argc == 2 ? argv[1] : "-";
    if (argument == "--help" || argument == "-h") {
        std::fputs(usage, stdout);
        return static_cast<int>(ExitCode::done);
    }
    if (argument.starts_with("-")) {
        std::fputs(usage, stderr);
        return static_cast<int>(ExitCode::usage);
    }
    try {
        return static_cast<int>(validate(argument));
    } catch (const Error& error) {
        log_here("{}", error.what());
        return static_cast<int>(error.code());
    }
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
    return railgauge::run(argc, argv);
}
