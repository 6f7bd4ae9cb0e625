// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/file_descriptor.hpp"
#include "measure/observer.hpp"

namespace railgauge {

/// Bits of a counter. The classic ones of a port (source "rdma") stop at their largest value;
/// widths: InfiniBand Architecture Specification 1, PortCounters, as Linux reads them. 64 for all
/// others.
int rdma_counter_bits(const CounterReading& counter);

/// The files of all counters of all RDMA devices. They stay open, as far as `most_open` allows:
/// reading one again takes a fraction of opening it.
class RdmaCounterFiles {
  public:
    /// @param class_folder the folder that has the folder `infiniband`
    RdmaCounterFiles(std::string class_folder, std::size_t most_open);

    /// Every counter there is now; what holds no number is left out.
    std::vector<CounterReading> read();

    /// How long a NIC's driver may answer with what it has read before (the largest `lifespan`), as
    /// of the last read(); 0 = never.
    std::int64_t lifespan_ms() const noexcept { return lifespan_ms_; }

    std::size_t open_files() const noexcept { return open_files_; }

  private:
    struct File {
        std::uint64_t inode = 0;
        FileDescriptor descriptor;
        std::uint64_t round = 0;  ///< the last read() that found it
    };

    void read_folder(const std::string& folder, const CounterReading& common);
    std::optional<std::uint64_t> read_file(const std::string& path, std::uint64_t inode);
    void close(File& file);
    void forget_lost_files();

    std::string infiniband_;
    std::size_t most_open_;
    std::size_t open_files_ = 0;
    std::int64_t lifespan_ms_ = 0;
    std::uint64_t round_ = 0;
    std::unordered_map<std::string, File> files_;
    std::vector<CounterReading> readings_;
};

}  // namespace railgauge
