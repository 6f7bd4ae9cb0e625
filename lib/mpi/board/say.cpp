// SPDX-License-Identifier: Apache-2.0
#include "mpi/board/say.hpp"

#include <fmt/format.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace railgauge::board {

void say(const std::string& program, int rank, const std::string& text) {
    const std::string who = rank > 0 ? fmt::format("{}: rank {}", program, rank) : program;
    // A pipe that is ready takes PIPE_BUF bytes without waiting.
    const std::string line =
        whole_characters(fmt::format("{}: {}", who, one_line(text)), PIPE_BUF - 1) + "\n";
    pollfd ready{STDERR_FILENO, POLLOUT, 0};
    constexpr int patience_ms = 500;
    if (::poll(&ready, 1, patience_ms) != 1 || (ready.revents & POLLOUT) == 0) return;
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace railgauge::board
