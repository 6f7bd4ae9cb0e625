// SPDX-License-Identifier: Apache-2.0
#include "system/rdma_counters.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "system/proc_files.hpp"
#include "system/sysfs.hpp"

namespace railgauge {
namespace {

constexpr const char* hardware_source = "rdma_hw";
constexpr const char* classic_source = "rdma";
constexpr std::size_t most_readings = 65536;

struct Width {
    std::string_view name;
    int bits;
};

constexpr std::array<Width, 17> widths{{{"symbol_error", 16},
                                        {"link_error_recovery", 8},
                                        {"link_downed", 8},
                                        {"port_rcv_errors", 16},
                                        {"port_rcv_remote_physical_errors", 16},
                                        {"port_rcv_switch_relay_errors", 16},
                                        {"port_xmit_discards", 16},
                                        {"port_xmit_constraint_errors", 8},
                                        {"port_rcv_constraint_errors", 8},
                                        {"local_link_integrity_errors", 4},
                                        {"excessive_buffer_overrun_errors", 4},
                                        {"VL15_dropped", 16},
                                        {"port_xmit_data", 32},
                                        {"port_rcv_data", 32},
                                        {"port_xmit_packets", 32},
                                        {"port_rcv_packets", 32},
                                        {"port_xmit_wait", 32}}};

}  // namespace

int rdma_counter_bits(const CounterReading& counter) {
    if (counter.source != classic_source) return 64;
    const auto found = std::find_if(widths.begin(), widths.end(),
                                    [&](const Width& width) { return width.name == counter.name; });
    return found == widths.end() ? 64 : found->bits;
}

RdmaCounterFiles::RdmaCounterFiles(std::string class_folder, std::size_t most_open)
    : infiniband_(std::move(class_folder) + "/infiniband"), most_open_(most_open) {}

std::vector<CounterReading> RdmaCounterFiles::read() {
    ++round_;
    lifespan_ms_ = 0;
    readings_.clear();
    for (const FolderEntry& device : list_folder(infiniband_)) {
        const std::string folder = infiniband_ + "/" + device.name;
        read_folder(folder + "/hw_counters/", {device.name, -1, hardware_source, {}, 0});
        for (const FolderEntry& entry : list_folder(folder + "/ports")) {
            const auto number = parse_number(entry.name);
            if (!number || *number > 255) continue;
            const int port = static_cast<int>(*number);
            const std::string ports = folder + "/ports/" + entry.name;
            read_folder(ports + "/hw_counters/", {device.name, port, hardware_source, {}, 0});
            read_folder(ports + "/counters/", {device.name, port, classic_source, {}, 0});
        }
    }
    forget_lost_files();
    return std::exchange(readings_, {});
}

void RdmaCounterFiles::read_folder(const std::string& folder, const CounterReading& common) {
    for (const FolderEntry& entry : list_folder(folder)) {
        if (readings_.size() == most_readings) return;
        const auto value = read_file(folder + entry.name, entry.inode);
        if (!value) continue;
        if (entry.name == "lifespan") {  // a setting, not a counter
            constexpr std::uint64_t most_ms = 1000;
            lifespan_ms_ =
                std::max(lifespan_ms_, static_cast<std::int64_t>(std::min(*value, most_ms)));
            continue;
        }
        readings_.push_back(common);
        readings_.back().name = entry.name;
        readings_.back().value = *value;
    }
}

std::optional<std::uint64_t> RdmaCounterFiles::read_file(const std::string& path,
                                                         std::uint64_t inode) {
    File& file = files_[path];
    file.round = round_;
    if (file.inode != inode) close(file);
    file.inode = inode;
    if (file.descriptor) {
        if (const auto value = read_number(file.descriptor)) return value;
        close(file);  // its device has gone, and may have come back
    }
    FileDescriptor opened = open_regular(path);
    const auto value = read_number(opened);
    if (value && open_files_ < most_open_) {
        file.descriptor = std::move(opened);
        ++open_files_;
    }
    return value;
}

void RdmaCounterFiles::close(File& file) {
    if (!file.descriptor) return;
    file.descriptor.reset();
    --open_files_;
}

void RdmaCounterFiles::forget_lost_files() {
    for (auto entry = files_.begin(); entry != files_.end();) {
        if (entry->second.round == round_) {
            ++entry;
            continue;
        }
        close(entry->second);
        entry = files_.erase(entry);
    }
}

}  // namespace railgauge
