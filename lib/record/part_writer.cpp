// SPDX-License-Identifier: Apache-2.0
#include "record/part_writer.hpp"

#include <stdexcept>

#include "record/run_context.hpp"
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

}  // namespace

PartWriter::PartWriter(const std::filesystem::path& path, int case_id, const std::string& plan_id)
    : case_group_(case_group(case_id)), file_(path) {
    hdf5::write_attribute(file_.id(), "schema", run_schema);
    hdf5::write_attribute(file_.id(), "plan_id", plan_id);
}

void PartWriter::reserve_samples(const SampleShape& shape) {
    const hdf5::Group parent = hdf5::create_group(file_.id(), "samples");
    samples_ = hdf5::create_group(parent.get(), case_group_);
    rows_ = shape.offsets.back();
    hdf5::write_vector(samples_.get(), "offsets", shape.offsets);
    hdf5::write_vector(samples_.get(), "group", shape.groups);
    if (!shape.blocks.empty()) hdf5::write_attribute(samples_.get(), "blocks", shape.blocks);
    for (const SampleColumn& column : shape.columns) {
        column_offsets_.push_back(column.constant ? HADDR_UNDEF
                                                  : H5Dget_offset(create_column(column).get()));
    }
}

void PartWriter::add_constants(const std::vector<SampleColumn>& columns) {
    for (const SampleColumn& column : columns) {
        if (column.constant) create_column(column);
    }
}

hdf5::Dataset PartWriter::create_column(const SampleColumn& column) const {
    const hdf5::PropertyList storage = creation(column);
    hdf5::Dataset dataset(hdf5::check(
        H5Dcreate2(samples_.get(), column.name.c_str(), cell_type(column.type),
                   hdf5::vector_space(rows_).get(), H5P_DEFAULT, storage.get(), H5P_DEFAULT),
        samples_.get(), "create column", column.name));
    hdf5::write_attribute(dataset.get(), "unit", column.unit);
    return dataset;
}

void PartWriter::write(std::size_t column, std::span<const RowRange> stretches) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    const auto write_pieces = [&] {
        file_.write_raw(column_offsets_.at(column) + begin * sizeof(Cell), pieces_);
        pieces_.clear();
    };
    for (const RowRange& stretch : stretches) {
        if (stretch.cells.empty()) continue;
        if (stretch.first != end) write_pieces();
        if (pieces_.empty()) begin = stretch.first;
        end = stretch.first + stretch.cells.size();
        // writev(2) takes pointers to what it does not change as mutable.
        pieces_.push_back({const_cast<Cell*>(stretch.cells.data()), stretch.cells.size_bytes()});
    }
    write_pieces();
}

void PartWriter::add_case_table(const char* parent, const Table& table) {
    if (table.rows() == 0) return;
    write_table(hdf5::create_group(file_.id(), parent).get(), case_group_.c_str(), table);
}

const std::filesystem::path& PartWriter::hand_over() {
    samples_.reset();
    return file_.hand_over();
}

void PartWriter::commit() {
    samples_.reset();
    file_.commit();
}

}  // namespace railgauge
