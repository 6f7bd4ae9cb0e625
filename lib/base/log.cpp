// SPDX-License-Identifier: Apache-2.0
#include "base/log.hpp"

#include <string>

#include <unistd.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

struct Identity {
    std::string program = "railgauge";
    int rank = -1;
};

Identity& identity() {
    static Identity instance;
    return instance;
}

void write_stderr(const std::string& line) {
    // One write, so that lines of many ranks do not interleave; a lost log line is not worth
    // failing for.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

void set_log_identity(std::string_view program, int rank) {
    identity().program = program;
    identity().rank = rank;
}

void log_text_here(std::string_view text) {
    const Identity& self = identity();
    const std::string line = one_line(std::string(text));
    write_stderr(self.rank > 0 ? fmt::format("{}: rank {}: {}\n", self.program, self.rank, line)
                               : fmt::format("{}: {}\n", self.program, line));
}

void log_text_root(std::string_view text) {
    if (identity().rank <= 0) log_text_here(text);
}

}  // namespace railgauge
