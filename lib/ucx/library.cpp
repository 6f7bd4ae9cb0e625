// SPDX-License-Identifier: Apache-2.0
#include "ucx/library.hpp"

#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "base/error.hpp"
#include "ucx/check.hpp"
#include "ucx/log.hpp"

namespace railgauge {
namespace {

std::string variable(const std::string& name, const char* unset) {
    const char* const value = std::getenv(name.c_str());
    return fmt::format("{}={}", name, value == nullptr ? unset : value);
}

void apply(ucp_config_t* config, const UcxSetting& setting) {
    const ucs_status_t status =
        ucp_config_modify(config, setting.name.c_str(), setting.value.c_str());
    if (status == UCS_OK) return;
    throw Error(ExitCode::usage, fmt::format("{} {} is refused", setting.flag, setting.value),
                fmt::format("UCX says of UCX_{}: {}", setting.name, ucs_status_string(status)),
                "see ucx_info -cf for what it takes");
}

UcxConfig read_config(std::span<const UcxSetting> settings) {
    ucp_config_t* raw = nullptr;
    const ucs_status_t status = ucp_config_read(nullptr, nullptr, &raw);
    if (status != UCS_OK) {
        throw Error(ExitCode::usage, "UCX's configuration is refused",
                    fmt::format("UCX says: {}", ucs_status_string(status)),
                    "correct the variables UCX_*");
    }
    UcxConfig config(raw);
    // How long a dead peer of an idle connection stays unnoticed: UCX's own 20 s are too long.
    if (std::getenv("UCX_KEEPALIVE_INTERVAL") == nullptr)
        apply(config.get(), {"KEEPALIVE_INTERVAL", "2s", "UCX_KEEPALIVE_INTERVAL"});
    for (const UcxSetting& setting : settings)
        apply(config.get(), setting);
    return config;
}

std::string words(std::span<const UcxSetting> settings) {
    std::string text = variable("UCX_TLS", "all") + ", " + variable("UCX_NET_DEVICES", "all");
    for (const UcxSetting& setting : settings)
        text += fmt::format(", {} {}", setting.flag, setting.value);
    return text;
}

[[noreturn]] void refuse(ucs_status_t status, std::span<const UcxSetting> settings,
                         const UcxHush& hush) {
    throw Error(
        ExitCode::usage, "UCX cannot be used so",
        fmt::format("it says: {}{}; {}", ucs_status_string(status), hush.words(), words(settings)),
        "choose from what ucx_info -d shows");
}

UcxContext make_context(std::span<const UcxSetting> settings, const UcxHush& hush) {
    const UcxConfig config = read_config(settings);
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED;
    params.features = UCP_FEATURE_TAG | UCP_FEATURE_RMA;
    ucp_context_h raw = nullptr;
    const ucs_status_t status = ucp_init(&params, config.get(), &raw);
    if (status != UCS_OK) refuse(status, settings, hush);
    return UcxContext(raw);
}

UcxWorker make_worker(ucp_context_h context, std::span<const UcxSetting> settings,
                      const UcxHush& hush) {
    ucp_worker_params_t params{};
    params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    params.thread_mode = UCS_THREAD_MODE_SINGLE;
    ucp_worker_h raw = nullptr;
    const ucs_status_t status = ucp_worker_create(context, &params, &raw);
    if (status != UCS_OK) refuse(status, settings, hush);
    return UcxWorker(raw);
}

std::vector<std::byte> copy_of(const void* data, std::size_t size) {
    const auto* const first = static_cast<const std::byte*>(data);
    return {first, first + size};
}

}  // namespace

UcxLibrary open_ucx(std::span<const UcxSetting> settings) {
    take_over_ucx_log();
    UcxHush hush;
    UcxContext context = make_context(settings, hush);
    UcxWorker worker = make_worker(context.get(), settings, hush);
    hush.show();
    return {std::move(context), std::move(worker)};
}

bool reaches_gpu(ucp_context_h context) {
    ucp_context_attr_t attributes{};
    attributes.field_mask = UCP_ATTR_FIELD_MEMORY_TYPES;
    check_ucx(ucp_context_query(context, &attributes), "asking UCX for its kinds of memory");
    return (attributes.memory_types & UCS_BIT(UCS_MEMORY_TYPE_CUDA)) != 0;
}

UcxMemoryHandle map_memory(ucp_context_h context, void* data, std::size_t size,
                           ucs_memory_type_t type) {
    ucp_mem_map_params_t params{};
    params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                        UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE;
    params.address = data;
    params.length = size;
    params.memory_type = type;
    ucp_mem_h raw = nullptr;
    check_ucx(ucp_mem_map(context, &params, &raw), "registering memory");
    return {raw, UcxUnmap{context}};
}

std::vector<std::byte> address_of(ucp_worker_h worker) {
    ucp_address_t* raw = nullptr;
    std::size_t size = 0;
    check_ucx(ucp_worker_get_address(worker, &raw, &size), "asking UCX for its address");
    const auto release = [worker](ucp_address_t* address) {
        ucp_worker_release_address(worker, address);
    };
    const std::unique_ptr<ucp_address_t, decltype(release)> address(raw, release);
    return copy_of(address.get(), size);
}

std::vector<std::byte> remote_key_of(ucp_context_h context, ucp_mem_h memory) {
    void* raw = nullptr;
    std::size_t size = 0;
    check_ucx(ucp_rkey_pack(context, memory, &raw, &size), "packing a remote key");
    const std::unique_ptr<void, Destroyer<&ucp_rkey_buffer_release>> key(raw);
    return copy_of(key.get(), size);
}

}  // namespace railgauge
