// SPDX-License-Identifier: Apache-2.0
#include "record/part_writer.hpp"

#include <stdexcept>

#include "record/run_header.hpp"
#include "record/run_paths.hpp"
#include "record/values.hpp"

namespace railgauge {
namespace {

hid_t cell_type(CellType type) {
    switch (type) {
        case CellType::i64: return H5T_NATIVE_INT64;
        case CellType::u64: return H5T_NATIVE_UINT64;
        case CellType::f64: return H5T_NATIVE_DOUBLE;
    }
    throw std::logic_error("a sample column has no type");
}

/// A constant column takes no space: every element is the fill value. Any other gets its space at
/// once and is not filled, since every row of it is written.
hdf5::PropertyList creation(const SampleColumn& column) {
    constexpr const char* what = "a column's storage";
    hdf5::PropertyList list(hdf5::check(H5Pcreate(H5P_DATASET_CREATE), -1, "prepare", what));
    if (column.constant) {
        hdf5::check(H5Pset_alloc_time(list.get(), H5D_ALLOC_TIME_LATE), -1, "prepare", what);
        hdf5::check(H5Pset_fill_value(list.get(), cell_type(column.type), &*column.constant), -1,
                    "prepare", what);
    } else {
        hdf5::check(H5Pset_alloc_time(list.get(), H5D_ALLOC_TIME_EARLY), -1, "prepare", what);
        hdf5::check(H5Pset_fill_time(list.get(), H5D_FILL_TIME_NEVER), -1, "prepare", what);
    }
    return list;
}

void write_observations(hid_t file, const char* parent, int case_id, const Table& table) {
    if (table.rows() == 0) return;
    write_table(hdf5::create_group(file, parent).get(), case_group(case_id).c_str(), table);
}

}  // namespace

PartWriter::PartWriter(const std::filesystem::path& path, const PartContent& content)
    : file_(path) {
    hdf5::write_attribute(file_.id(), "schema", run_schema);
    hdf5::write_attribute(file_.id(), "plan_id", content.plan_id);
    write_table(file_.id(), "cases", content.case_row);
    write_observations(file_.id(), "counters", content.case_id, content.counters);
    write_observations(file_.id(), "series", content.case_id, content.series);
    if (content.samples) create_samples(content.case_id, *content.samples);
}

void PartWriter::create_samples(int case_id, const SampleShape& shape) {
    const hdf5::Group parent = hdf5::create_group(file_.id(), "samples");
    const hdf5::Group group = hdf5::create_group(parent.get(), case_group(case_id));
    hdf5::write_vector(group.get(), "offsets", shape.offsets);
    hdf5::write_vector(group.get(), "group", shape.groups);
    if (!shape.blocks.empty()) hdf5::write_attribute(group.get(), "blocks", shape.blocks);
    for (const SampleColumn& column : shape.columns) {
        column_offsets_.push_back(create_column(group.get(), column, shape.offsets.back()));
    }
}

std::uint64_t PartWriter::create_column(hid_t parent, const SampleColumn& column,
                                        std::uint64_t rows) {
    const hdf5::PropertyList storage = creation(column);
    const hdf5::Dataset dataset(hdf5::check(
        H5Dcreate2(parent, column.name.c_str(), cell_type(column.type),
                   hdf5::vector_space(rows).get(), H5P_DEFAULT, storage.get(), H5P_DEFAULT),
        parent, "create column", column.name));
    hdf5::write_attribute(dataset.get(), "unit", column.unit);
    return H5Dget_offset(dataset.get());
}

void PartWriter::write(std::size_t column, std::span<const Stretch> stretches) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    const auto write_pieces = [&] {
        file_.write_raw(column_offsets_.at(column) + begin * sizeof(Cell), pieces_);
        pieces_.clear();
    };
    for (const Stretch& stretch : stretches) {
        if (stretch.cells.empty()) continue;
        if (stretch.first != end) write_pieces();
        if (pieces_.empty()) begin = stretch.first;
        end = stretch.first + stretch.cells.size();
        // writev(2) takes pointers to what it does not change as mutable.
        pieces_.push_back({const_cast<Cell*>(stretch.cells.data()), stretch.cells.size_bytes()});
    }
    write_pieces();
}

}  // namespace railgauge
