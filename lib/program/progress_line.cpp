// SPDX-License-Identifier: Apache-2.0
#include "program/progress_line.hpp"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace railgauge {
namespace {

constexpr std::size_t longest_name = 40;

bool person_watches() {
    const char* told = std::getenv("RAILGAUGE_TTY");
    return told != nullptr ? std::string_view(told) == "1" : isatty(STDERR_FILENO) == 1;
}

void write_stderr(const std::string& text) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

ProgressLine::ProgressLine(std::size_t cases, std::int64_t now_ns)
    : visible_(person_watches()), cases_(cases), begin_ns_(now_ns) {}

void ProgressLine::show(std::size_t done, const std::string& next_case, std::int64_t now_ns) {
    if (!visible_) return;
    const std::int64_t gone_ns = now_ns - begin_ns_;
    std::string line = fmt::format("\r\033[K[{}/{}] {} | {} gone", done + 1, cases_,
                                   next_case.substr(0, longest_name), format_elapsed(gone_ns));
    if (done > 0) {
        const auto left = static_cast<std::int64_t>(cases_ - done);
        line += fmt::format(", about {} left",
                            format_elapsed(gone_ns / static_cast<std::int64_t>(done) * left));
    }
    write_stderr(line);
    shown_ = true;
}

void ProgressLine::clear() {
    if (shown_) write_stderr("\r\033[K");
    shown_ = false;
}

std::string format_elapsed(std::int64_t ns) {
    const std::int64_t seconds = ns / 1'000'000'000;
    if (seconds < 3600) return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
    return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

}  // namespace railgauge
