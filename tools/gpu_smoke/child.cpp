// SPDX-License-Identifier: Apache-2.0
#include "child.hpp"

#include <array>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"

namespace railgauge::smoke {
namespace {

using Clock = std::chrono::steady_clock;

void write_all(int to, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(to, text.data(), text.size());
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// Nobody waits for what libraries do at the end of a process: some hang.
[[noreturn]] void work(const std::string& name, const Child::Check& check, int results) {
    const Child::Send send = [results](const Row& row) { write_all(results, to_record(row)); };
    try {
        check(send);
    } catch (const std::exception& error) {
        send({name, Outcome::fail, "-", error.what()});
    }
    ::_exit(0);
}

}  // namespace

Pipe make_pipe() {
    std::array<int, 2> ends{};
    check_errno(::pipe2(ends.data(), O_CLOEXEC), "making a pipe", "between two processes");
    return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Child::Child(std::string name, const Check& check) : name_(std::move(name)) {
    Pipe pipe = make_pipe();
    pid_ = check_errno(::fork(), "starting a process", name_);
    if (pid_ == 0) work(name_, check, pipe.write_end.get());
    results_ = std::move(pipe.read_end);
}

Child::~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

std::string Child::read_until(Clock::time_point deadline) {
    std::string text;
    std::array<char, 4096> chunk{};
    while (true) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd ready{results_.get(), POLLIN, 0};
        is_late_ = left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0;
        if (is_late_) return text;
        const ssize_t got = ::read(results_.get(), chunk.data(), chunk.size());
        if (got <= 0) return text;
        text.append(chunk.data(), static_cast<std::size_t>(got));
    }
}

/// How the process ended, empty when well.
std::string Child::end() {
    if (is_late_) ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    if (is_late_) return "did not end in time and was killed";
    if (WIFSIGNALED(status)) return fmt::format("ended by {}", ::strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) == 0) return {};
    return fmt::format("ended with status {}", WEXITSTATUS(status));
}

std::vector<Row> Child::wait(Clock::time_point deadline) {
    std::vector<Row> rows = from_records(read_until(deadline));
    const std::string mishap = end();
    if (!mishap.empty()) rows.push_back({name_, Outcome::fail, "-", mishap});
    return rows;
}

}  // namespace railgauge::smoke
