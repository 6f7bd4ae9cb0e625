// SPDX-License-Identifier: Apache-2.0
#include "record/values.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace railgauge::hdf5 {
namespace {

void write_attribute(hid_t object, const char* name, hid_t type, hid_t space, const void* data) {
    const Attribute attribute(check(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT),
                                    object, "write", name));
    check(H5Awrite(attribute.get(), type, data), object, "write", name);
}

void write_dataset(hid_t parent, const char* name, hid_t type, hid_t space, const void* data) {
    const Dataset dataset(
        check(H5Dcreate2(parent, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), parent,
              "write", name));
    check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), parent, "write",
          name);
}

Attribute open_attribute(hid_t object, const char* name) {
    return Attribute(check(H5Aopen(object, name, H5P_DEFAULT), object, "read", name));
}

void require_scalar(hid_t object, const char* name, const Attribute& attribute) {
    const Dataspace space(check(H5Aget_space(attribute.get()), object, "read", name));
    if (H5Sget_simple_extent_type(space.get()) != H5S_SCALAR) {
        throw_damaged(object, name, "it is no single value");
    }
}

/// `text` or, when it is empty, one null byte: the types here are at least one byte long.
const char* padded(std::string_view text) {
    return text.empty() ? "" : text.data();
}

}  // namespace

Datatype text_type(std::size_t bytes) {
    constexpr const char* what = "a text type";
    Datatype type(check(H5Tcopy(H5T_C_S1), -1, "prepare", what));
    check(H5Tset_size(type.get(), std::max<std::size_t>(bytes, 1)), -1, "prepare", what);
    check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), -1, "prepare", what);
    check(H5Tset_cset(type.get(), H5T_CSET_UTF8), -1, "prepare", what);
    return type;
}

Dataspace scalar_space() {
    return Dataspace(check(H5Screate(H5S_SCALAR), -1, "prepare", "a scalar"));
}

Dataspace vector_space(std::uint64_t length) {
    const hsize_t dimension = length;
    return Dataspace(check(H5Screate_simple(1, &dimension, nullptr), -1, "prepare", "a vector"));
}

void write_attribute(hid_t object, const char* name, std::string_view text) {
    const Datatype type = text_type(text.size());
    write_attribute(object, name, type.get(), scalar_space().get(), padded(text));
}

void write_attribute(hid_t object, const char* name, std::int32_t value) {
    write_attribute(object, name, H5T_NATIVE_INT32, scalar_space().get(), &value);
}

void write_attribute(hid_t object, const char* name, std::int64_t value) {
    write_attribute(object, name, H5T_NATIVE_INT64, scalar_space().get(), &value);
}

void write_attribute(hid_t object, const char* name, std::span<const std::uint64_t> values) {
    write_attribute(object, name, H5T_NATIVE_UINT64, vector_space(values.size()).get(),
                    values.data());
}

std::string read_text_attribute(hid_t object, const char* name) {
    const Attribute attribute = open_attribute(object, name);
    require_scalar(object, name, attribute);
    const Datatype type(check(H5Aget_type(attribute.get()), object, "read", name));
    const std::size_t bytes = H5Tget_size(type.get());
    if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 ||
        bytes > most_text_bytes) {
        throw_damaged(object, name, "it is no fixed-length text");
    }
    std::string text(bytes, '\0');
    check(H5Aread(attribute.get(), type.get(), text.data()), object, "read", name);
    return text.substr(0, text.find('\0'));
}

std::int64_t read_integer_attribute(hid_t object, const char* name) {
    const Attribute attribute = open_attribute(object, name);
    require_scalar(object, name, attribute);
    const Datatype type(check(H5Aget_type(attribute.get()), object, "read", name));
    if (H5Tget_class(type.get()) != H5T_INTEGER) throw_damaged(object, name, "it is no integer");
    std::int64_t value = 0;
    check(H5Aread(attribute.get(), H5T_NATIVE_INT64, &value), object, "read", name);
    return value;
}

void write_text(hid_t parent, const char* name, std::string_view text) {
    const Datatype type = text_type(text.size());
    write_dataset(parent, name, type.get(), scalar_space().get(), padded(text));
}

void write_vector(hid_t parent, const char* name, std::span<const std::uint64_t> values) {
    write_dataset(parent, name, H5T_NATIVE_UINT64, vector_space(values.size()).get(),
                  values.data());
}

void write_vector(hid_t parent, const char* name, std::span<const std::int32_t> values) {
    write_dataset(parent, name, H5T_NATIVE_INT32, vector_space(values.size()).get(), values.data());
}

void require_length(hid_t parent, const char* name, std::uint64_t length) {
    const Dataset dataset(check(H5Dopen2(parent, name, H5P_DEFAULT), parent, "read", name));
    const Dataspace space(check(H5Dget_space(dataset.get()), parent, "read", name));
    if (H5Sget_simple_extent_ndims(space.get()) != 1 ||
        H5Sget_simple_extent_npoints(space.get()) != static_cast<hssize_t>(length)) {
        throw_damaged(parent, name, fmt::format("it is no vector of {}", length));
    }
}

std::vector<std::uint64_t> read_vector(hid_t parent, const char* name, std::uint64_t length) {
    require_length(parent, name, length);
    const Dataset dataset(check(H5Dopen2(parent, name, H5P_DEFAULT), parent, "read", name));
    const Datatype type(check(H5Dget_type(dataset.get()), parent, "read", name));
    if (H5Tget_class(type.get()) != H5T_INTEGER) throw_damaged(parent, name, "it is no integers");
    std::vector<std::uint64_t> values(length);
    check(H5Dread(dataset.get(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
          parent, "read", name);
    return values;
}

}  // namespace railgauge::hdf5
