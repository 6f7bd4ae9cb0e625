// SPDX-License-Identifier: Apache-2.0
// What both recorder benchmarks record, and the bare program they are held against.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <hdf5.h>

#include "measure/case.hpp"
#include "measure/observer.hpp"
#include "measure/sample.hpp"

namespace railgauge::micro {

/// The columns of a collective on a GPU: start_ns, elapsed_ns, device_ns and a constant bytes.
class RankLoad : public SampleSource {
  public:
    explicit RankLoad(std::uint64_t rows) : cells_(rows) {
        for (std::uint64_t row = 0; row < rows; ++row)
            cells_[row] = row * 1'000'003;
    }

    const std::vector<SampleColumn>& columns() const override { return columns_; }
    std::uint64_t rows() const override { return cells_.size(); }
    void copy(std::size_t, std::uint64_t first, std::span<Cell> out) const override {
        std::copy_n(cells_.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
    }
    const std::vector<Cell>& cells() const { return cells_; }

  private:
    std::vector<SampleColumn> columns_{{"start_ns", "ns", CellType::i64, {}},
                                       {"elapsed_ns", "ns", CellType::i64, {}},
                                       {"bytes", "B", CellType::u64, Cell{1 << 20}},
                                       {"device_ns", "ns", CellType::i64, {}}};
    std::vector<Cell> cells_;
};

inline const std::vector<const char*> bare_columns{"start_ns", "elapsed_ns", "bytes", "device_ns"};

inline std::vector<Case> one_case() {
    std::vector<Case> plan;
    plan.emplace_back("all_reduce/mpi/host/float32/sum/out/1048576",
                      std::vector<Variable>{{"benchmark", std::string("collective")},
                                            {"operation", std::string("all_reduce")},
                                            {"backend", std::string("mpi")},
                                            {"memory", std::string("host")},
                                            {"dtype", std::string("float32")},
                                            {"bytes", std::int64_t{1 << 20}},
                                            {"count", std::int64_t{1 << 18}}});
    plan.back().set_id(0);
    return plan;
}

/// Counters as a node with 8 rails has them.
inline Observations node_counters() {
    Observations observations;
    for (int port = 0; port < 8; ++port) {
        for (const char* name :
             {"port_xmit_data", "port_rcv_data", "out_of_sequence", "cnp_sent"}) {
            observations.counters.push_back(
                {"mlx5_" + std::to_string(port), 1, "sysfs", name, 1, 2, CounterStatus::ok});
        }
    }
    return observations;
}

/// Writes `columns`, one cell a sample, by nothing but HDF5.
inline void write_bare(const std::filesystem::path& path,
                       const std::vector<std::vector<Cell>>& columns) {
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool good = file >= 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const hsize_t length = columns[i].size();
        const hid_t space = H5Screate_simple(1, &length, nullptr);
        const hid_t set = H5Dcreate2(file, bare_columns[i], H5T_NATIVE_INT64, space, H5P_DEFAULT,
                                     H5P_DEFAULT, H5P_DEFAULT);
        good = good && H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                columns[i].data()) >= 0;
        H5Dclose(set);
        H5Sclose(space);
    }
    if (H5Fclose(file) < 0 || !good) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace railgauge::micro
