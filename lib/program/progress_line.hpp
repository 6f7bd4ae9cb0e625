// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace railgauge {

/// "[ 7/22] all_reduce/... | 0:12 gone, about 0:25 left", rewritten in place on stderr. Silent
/// unless stderr is a terminal, or the launch script says (RAILGAUGE_TTY=1) that the person's is
/// one behind the launcher's pipe.
class ProgressLine {
  public:
    ProgressLine(std::size_t cases, std::int64_t now_ns);

    void show(std::size_t done, const std::string& next_case, std::int64_t now_ns);

    /// Blanks the line, so that other output can follow.
    void clear();

  private:
    bool visible_;
    std::size_t cases_;
    std::int64_t begin_ns_;
    bool shown_ = false;
};

/// "1:02:07", "0:12". Pure.
std::string format_elapsed(std::int64_t ns);

}  // namespace railgauge
