// SPDX-License-Identifier: Apache-2.0
#include "system/facts.hpp"

#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sys/utsname.h>

#include "system/environment.hpp"
#include "system/gpu_facts.hpp"
#include "system/proc_files.hpp"
#include "system/rdma_facts.hpp"
#include "system/topology.hpp"

namespace railgauge {
namespace {

std::set<int> allowed_cpu_set() {
    std::set<int> cpus;
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0) return cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &mask)) cpus.insert(cpu);
    }
    return cpus;
}

void add_kernel(nlohmann::json& facts) {
    utsname kernel{};
    if (uname(&kernel) == 0) facts["kernel"] = fmt::format("{} {}", kernel.release, kernel.version);
    if (const auto release = read_small_file("/etc/os-release")) {
        if (const auto name = find_value(*release, "PRETTY_NAME", '=')) facts["os"] = *name;
    }
    if (const auto line = read_small_file("/proc/cmdline")) {
        facts["kernel_command_line"] = line->substr(0, line->find('\n'));
    }
}

void add_hardware(nlohmann::json& facts) {
    if (const auto cpuinfo = read_small_file("/proc/cpuinfo")) {
        if (const auto model = find_value(*cpuinfo, "model name", ':')) facts["cpu_model"] = *model;
    }
    if (const auto meminfo = read_small_file("/proc/meminfo")) {
        const auto total = find_value(*meminfo, "MemTotal", ':');
        const auto words = total ? split_words(*total) : std::vector<std::string_view>{};
        if (!words.empty()) facts["memory_bytes"] = parse_number(words.front()).value_or(0) * 1024;
    }
    if (const auto topology = read_topology()) {
        facts["packages"] = topology->packages;
        facts["cores"] = topology->cores;
        facts["numa_nodes"] = topology->numa_nodes;
    }
}

/// The node whose sysfs folder lists CPU `cpu`; -1 when none does.
int numa_node_of(int cpu) {
    std::error_code ignored;
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu{}", cpu);
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with("node")) continue;
        if (const auto node = parse_number(name.substr(4))) return static_cast<int>(*node);
    }
    return -1;
}

}  // namespace

std::string node_facts_json(const std::string& host, const std::string& boot_id,
                            const std::vector<LibraryVersion>& libraries) {
    nlohmann::json facts{{"hostname", host},
                         {"boot_id", boot_id},
                         {"cpus", allowed_cpu_set().size()},
                         {"environment", recordable_environment()}};
    add_kernel(facts);
    add_hardware(facts);
    facts.update(gpu_facts(nvml_file()));
    facts.update(rdma_facts());
    for (const LibraryVersion& entry : libraries)
        facts[entry.library] = entry.version;
    return facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string allowed_cpus() {
    std::string text;
    const std::set<int> cpus = allowed_cpu_set();
    for (auto cpu = cpus.begin(); cpu != cpus.end();) {
        const int first = *cpu;
        int last = first;
        while (++cpu != cpus.end() && *cpu == last + 1)
            last = *cpu;
        if (!text.empty()) text += ',';
        text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
    }
    return text;
}

int allowed_numa_node() {
    std::set<int> nodes;
    for (const int cpu : allowed_cpu_set())
        nodes.insert(numa_node_of(cpu));
    return nodes.size() == 1 ? *nodes.begin() : -1;
}

}  // namespace railgauge
