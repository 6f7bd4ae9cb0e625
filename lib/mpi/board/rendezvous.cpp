// SPDX-License-Identifier: Apache-2.0
#include "mpi/board/rendezvous.hpp"

#include <cstdlib>

#include <unistd.h>

#include "mpi/board/small_file.hpp"

namespace railgauge::board {
namespace {

constexpr std::size_t most_bytes = 4096;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

}  // namespace

bool Rendezvous::publish(const BoardAddress& address) {
    if (path_.empty()) return false;
    published_ = to_text(address);
    return replace_file(path_, published_, 0600);
}

std::optional<BoardAddress> Rendezvous::find(const std::string& job) const {
    if (path_.empty()) return std::nullopt;
    const auto text = read_small_file(path_, most_bytes);
    if (!text) return std::nullopt;
    auto address = parse_board_address(*text);
    if (address && address->job != job) return std::nullopt;
    return address;
}

void Rendezvous::withdraw() noexcept {
    if (published_.empty()) return;
    if (read_small_file(path_, most_bytes) == published_) ::unlink(path_.c_str());
    published_.clear();
}

std::string launcher_job() {
    const std::string space = environment("PMIX_NAMESPACE");
    if (!space.empty()) return "pmix:" + space;
    const std::string job = environment("SLURM_JOB_ID");
    if (!job.empty()) return "slurm:" + job + "." + environment("SLURM_STEP_ID");
    return "";
}

}  // namespace railgauge::board
