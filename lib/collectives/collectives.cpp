// SPDX-License-Identifier: Apache-2.0
#include "collectives/collectives.hpp"

#include <array>

#include "base/names.hpp"
#include "mpi/gpu_memory.hpp"

namespace railgauge {
namespace {

struct BackendRow {
    std::string_view name;
    std::unique_ptr<Collectives> (*make)(const CollectivesSetting& setting);
    bool needs_gpu;
    void (*require)(std::string_view memory);
};

/// Every backend. A new one is a file and a row.
constexpr std::array<BackendRow, 2> backends{
    {{"mpi", &make_mpi_collectives, false, &require_mpi_reaches},
     {"nccl", &make_nccl_collectives, true, &require_nccl}}};

struct KindRow {
    std::string_view name;
    BufferKind kind;
};
constexpr std::array<KindRow, 3> kinds{{{"plain", BufferKind::plain},
                                        {"registered", BufferKind::registered},
                                        {"symmetric", BufferKind::symmetric}}};

const BackendRow& backend_named(std::string_view name) {
    return row_named(backends, name, "backend");
}

}  // namespace

std::vector<std::string> buffer_kind_names() {
    return names_of(kinds);
}

BufferKind parse_buffer_kind(std::string_view text) {
    return row_named(kinds, text, "kind of buffer").kind;
}

std::vector<std::string> collectives_names() {
    return names_of(backends);
}

bool backend_needs_gpu(std::string_view backend) {
    return backend_named(backend).needs_gpu;
}

void require_backend(std::string_view backend, std::string_view memory) {
    backend_named(backend).require(memory);
}

std::unique_ptr<Collectives> make_collectives(std::string_view backend,
                                              const CollectivesSetting& setting) {
    return backend_named(backend).make(setting);
}

}  // namespace railgauge
