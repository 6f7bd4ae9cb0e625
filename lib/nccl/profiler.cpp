// SPDX-License-Identifier: Apache-2.0
#include "nccl/profiler.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace railgauge {
namespace {

constexpr char nccl_variable[] = "NCCL_PROFILER_PLUGIN";
/// NCCL cuts longer names.
constexpr std::size_t longest_path = 254;
constexpr std::size_t most_uses = 256;

/// Empty when the user wants none, or this process cannot tell where it lies.
std::string plugin_path() {
    namespace fs = std::filesystem;
    std::error_code failed;
    if (const char* const chosen = std::getenv("RAILGAUGE_NCCL_PROFILER")) {
        return *chosen == '\0' ? "" : fs::absolute(chosen, failed).string();
    }
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    return failed ? "" : (program.parent_path() / "railgauge-nccl-profiler.so").string();
}

std::optional<std::string> users_plugin() {
    const char* const set = std::getenv(nccl_variable);
    return set == nullptr ? std::nullopt : std::optional<std::string>(set);
}

template <class Function>
Function symbol(void* library, const char* name) {
    return reinterpret_cast<Function>(::dlsym(library, name));
}

std::string text(const char (&name)[profiler_name_bytes]) {
    return std::string(
        std::string_view(name, profiler_name_bytes)
            .substr(0, static_cast<std::size_t>(std::find(name, name + profiler_name_bytes, '\0') -
                                                name)));
}

AlgorithmUse algorithm_use(const ProfilerUse& use) {
    return {.operation = text(use.operation),
            .algorithm = text(use.algorithm),
            .protocol = text(use.protocol),
            .channels = use.channels,
            .times = use.times,
            .fewest_elements = use.fewest_elements,
            .most_elements = use.most_elements,
            .datatype = text(use.datatype)};
}

}  // namespace

/// Why it could not be loaded; empty when it was.
std::string NcclProfiler::load(const std::string& path) {
    Library library(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!library) {
        const char* const reason = ::dlerror();
        return reason == nullptr ? "the plugin cannot be loaded" : reason;
    }
    const auto version = symbol<ProfilerVersion>(library.get(), "railgauge_profiler_version");
    if (version == nullptr || version() != profiler_exchange_version) {
        return path + " is no profiler plugin of this version";
    }
    set_active_ = symbol<ProfilerSetActive>(library.get(), "railgauge_profiler_set_active");
    reset_ = symbol<ProfilerReset>(library.get(), "railgauge_profiler_reset");
    read_ = symbol<ProfilerRead>(library.get(), "railgauge_profiler_read");
    if (set_active_ == nullptr || reset_ == nullptr || read_ == nullptr) {
        return path + " lacks functions of a profiler plugin";
    }
    plugin_ = std::move(library);
    return "";
}

void NcclProfiler::arm() {
    if (armed()) return;
    const std::string path = plugin_path();
    const auto users = users_plugin();
    if (path.empty()) {
        absence_ = "no profiler plugin is wanted";
    } else if (users && *users != path) {
        absence_ = std::string(nccl_variable) + " is set to another plugin";
    } else if (path.size() > longest_path) {
        absence_ = "the plugin's path is longer than NCCL takes";
    } else {
        absence_ = load(path);
    }
    if (armed()) ::setenv(nccl_variable, path.c_str(), 1);
}

void NcclProfiler::activate() noexcept {
    if (armed()) set_active_(1);
}

void NcclProfiler::deactivate() noexcept {
    if (armed()) set_active_(0);
}

std::vector<AlgorithmUse> NcclProfiler::take() {
    if (!armed()) return {};
    std::vector<ProfilerUse> uses(most_uses);
    const int total = read_(uses.data(), static_cast<int>(most_uses));
    reset_();
    uses.resize(std::min(static_cast<std::size_t>(std::max(total, 0)), most_uses));
    std::vector<AlgorithmUse> taken;
    std::transform(uses.begin(), uses.end(), std::back_inserter(taken), algorithm_use);
    return taken;
}

}  // namespace railgauge
