// SPDX-License-Identifier: Apache-2.0
#include "rank_process.hpp"

#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace railgauge {
namespace {

constexpr std::chrono::seconds most_patience{60};

pid_t spawn(std::vector<std::string> arguments, const std::filesystem::path& log) {
    std::vector<char*> argv;
    for (std::string& argument : arguments)
        argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t pid = -1;
    const int failed = ::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw std::runtime_error("cannot start " + arguments[0]);
    return pid;
}

}  // namespace

RankProcess::RankProcess(int rank, int size, std::chrono::milliseconds deadline,
                         const std::filesystem::path& folder,
                         const std::vector<std::string>& script)
    : log_(folder / ("stderr." + std::to_string(rank))) {
    std::vector<std::string> arguments = {WATCHDOG_RANK, std::to_string(rank), std::to_string(size),
                                          std::to_string(deadline.count()), folder.string()};
    arguments.insert(arguments.end(), script.begin(), script.end());
    pid_ = spawn(std::move(arguments), log_);
}

RankProcess::RankProcess(RankProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      status_(other.status_),
      ended_(other.ended_),
      log_(std::move(other.log_)) {}

RankProcess::~RankProcess() {
    if (pid_ < 0 || ended_) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, &status_, 0);
}

void RankProcess::signal(int number) const {
    ::kill(pid_, number);
}

bool RankProcess::is_running() {
    if (!ended_) ended_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
    return !ended_;
}

int RankProcess::wait() {
    const auto end = std::chrono::steady_clock::now() + most_patience;
    while (is_running()) {
        if (std::chrono::steady_clock::now() > end) return -1;
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    return WIFSIGNALED(status_) ? 1000 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

std::string RankProcess::said() const {
    std::ifstream file(log_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace railgauge
