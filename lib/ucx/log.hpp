// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace railgauge {

/// From the first use on UCX's messages go to our log: its own default is stdout, where the tables
/// are. With UCX_LOG_FILE in the environment they go there.
void take_over_ucx_log();

/// While one exists, what UCX says on this thread is kept for an error's text instead of shown.
/// They end in the reverse order in which they began.
class UcxHush {
  public:
    UcxHush();
    ~UcxHush();
    UcxHush(const UcxHush&) = delete;
    UcxHush& operator=(const UcxHush&) = delete;

    void note(const std::string& message);

    /// ": " and what was said, or nothing.
    std::string words() const;

    /// Shows what was kept after all: the step went well.
    void show();

  private:
    UcxHush* outer_;
    std::string said_;
};

}  // namespace railgauge
