// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/hdf5.hpp"

/// Single values, texts and short vectors of a run file, and the types they are stored in.
namespace railgauge::hdf5 {

/// Longest single text (JSON, site file) and widest table row that is read: files may be hostile.
inline constexpr std::size_t most_text_bytes = std::size_t{64} << 20;

/// A fixed-length, null-padded UTF-8 type of at least one byte.
Datatype text_type(std::size_t bytes);
Dataspace scalar_space();
Dataspace vector_space(std::uint64_t length);

void write_attribute(hid_t object, const char* name, std::string_view text);
void write_attribute(hid_t object, const char* name, std::int32_t value);
void write_attribute(hid_t object, const char* name, std::int64_t value);
void write_attribute(hid_t object, const char* name, std::span<const std::uint64_t> values);

/// @throws Error(library) when there is none, or it is no fixed-length text
std::string read_text_attribute(hid_t object, const char* name);
std::int64_t read_integer_attribute(hid_t object, const char* name);

/// A scalar dataset of one text.
void write_text(hid_t parent, const char* name, std::string_view text);

void write_vector(hid_t parent, const char* name, std::span<const std::uint64_t> values);
void write_vector(hid_t parent, const char* name, std::span<const std::int32_t> values);

/// Throws Error(library) unless the dataset is a vector of `length`.
void require_length(hid_t parent, const char* name, std::uint64_t length);

/// @throws Error(library) unless it is a vector of `length` integers
std::vector<std::uint64_t> read_vector(hid_t parent, const char* name, std::uint64_t length);

}  // namespace railgauge::hdf5
