// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace railgauge {

/// One scripted rank (watchdog_rank.cpp) as a child process; killed at the latest by the
/// destructor.
class RankProcess {
  public:
    RankProcess(int rank, int size, std::chrono::milliseconds deadline,
                const std::filesystem::path& folder, const std::vector<std::string>& script);
    ~RankProcess();
    RankProcess(RankProcess&& other) noexcept;
    RankProcess(const RankProcess&) = delete;
    RankProcess& operator=(const RankProcess&) = delete;
    RankProcess& operator=(RankProcess&&) = delete;

    void signal(int number) const;

    /// Waits for the end. @return its exit code, 1000 + signal when a signal ended it, -1 when it
    /// does not end
    int wait();

    bool is_running();

    /// What it has said on stderr so far.
    std::string said() const;

  private:
    pid_t pid_ = -1;
    int status_ = 0;
    bool ended_ = false;
    std::filesystem::path log_;
};

}  // namespace railgauge
