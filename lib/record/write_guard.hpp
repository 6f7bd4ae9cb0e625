// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace railgauge {

/// Held while a file of the run is being written. A signal's thread waits for it, so that a process
/// ends between two files where it can.
class WriteGuard {
  public:
    WriteGuard();
    ~WriteGuard();
    WriteGuard(const WriteGuard&) = delete;
    WriteGuard& operator=(const WriteGuard&) = delete;
};

/// Waits until no file is being written and keeps it so for the rest of the process' life: the
/// caller is about to end it, and the next WriteGuard waits for ever.
/// @return false when writing did not pause within `wait_ms`; files may be written as before
bool stop_writing(int wait_ms);

}  // namespace railgauge
