// SPDX-License-Identifier: Apache-2.0
#include "system/environment.hpp"

#include <algorithm>
#include <array>

#include <unistd.h>

namespace railgauge {
namespace {

constexpr std::array<std::string_view, 12> prefixes{"NCCL_",
                                                    "UCX_",
                                                    "OMPI_MCA_",
                                                    "PMIX_MCA_",
                                                    "PRTE_MCA_",
                                                    "RAILGAUGE_",
                                                    "HCOLL_",
                                                    "MELLANOX_",
                                                    "CUDA_VISIBLE_DEVICES",
                                                    "CUDA_DEVICE_ORDER",
                                                    "HDF5_USE_FILE_LOCKING",
                                                    "OMP_NUM_THREADS"};

// What secrets are usually called; orte_precondition_transports is Open MPI's job key.
constexpr std::array<std::string_view, 7> secrets{
    "PRECONDITION_TRANSPORTS", "SECRET", "TOKEN", "PASSWORD", "CREDENTIAL", "_KEY", "PASSWD"};

// How a launcher wires its processes together: other values in every job, of no influence on
// results.
constexpr std::array<std::string_view, 6> wiring{
    "_URI", "_MCA_ESS", "_INITIAL_WDIR", "_ORTE_APP_NUM", "_JOBFAM_SESSION_DIR", "_RUN_ID"};

std::string upper(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return result;
}

}  // namespace

bool may_record_variable(std::string_view name) {
    const std::string capitals = upper(name);
    const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
    const auto holds = [&](std::string_view part) {
        return capitals.find(part) != std::string::npos;
    };
    return std::any_of(prefixes.begin(), prefixes.end(), begins) &&
           std::none_of(secrets.begin(), secrets.end(), holds) &&
           std::none_of(wiring.begin(), wiring.end(), holds);
}

std::map<std::string, std::string> recordable_environment() {
    std::map<std::string, std::string> variables;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const auto equals = text.find('=');
        if (equals == std::string_view::npos || !may_record_variable(text.substr(0, equals)))
            continue;
        variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return variables;
}

}  // namespace railgauge
