// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "base/file_descriptor.hpp"

namespace railgauge::board {

/// What the measuring thread asks of the watchdog's thread.
class Orders {
  public:
    /// @throws Error(library)
    Orders();

    /// Called by any thread; the other runs `order` soon.
    void post(std::function<void()> order);

    /// Runs everything posted so far, in order.
    void run_all();

    /// Readable while orders wait.
    int descriptor() const noexcept { return wake_.get(); }

  private:
    FileDescriptor wake_;
    std::mutex mutex_;
    std::vector<std::function<void()>> waiting_;
};

}  // namespace railgauge::board
