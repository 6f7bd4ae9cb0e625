// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/file_descriptor.hpp"
#include "row.hpp"

namespace railgauge::smoke {

struct Pipe {
    FileDescriptor read_end;
    FileDescriptor write_end;
};
Pipe make_pipe();

/// A check in a process of its own, that may hang or crash. CUDA does not survive a fork: only to
/// be made before this process has used it.
class Child {
  public:
    /// Sends a row at once: what was found before a hang is not lost.
    using Send = std::function<void(const Row&)>;
    using Check = std::function<void(const Send& send)>;

    Child(std::string name, const Check& check);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Its rows and, when it crashed or was killed at the deadline, one that says so.
    std::vector<Row> wait(std::chrono::steady_clock::time_point deadline);

  private:
    std::string read_until(std::chrono::steady_clock::time_point deadline);
    std::string end();

    std::string name_;
    pid_t pid_ = -1;
    FileDescriptor results_;
    bool is_late_ = false;
};

}  // namespace railgauge::smoke
