// SPDX-License-Identifier: Apache-2.0
#include "file_contents.hpp"

#include <vector>

#include <hdf5.h>

#include "record/hdf5.hpp"

namespace railgauge::test {
namespace {

using Contents = std::map<std::string, std::string>;

std::string encoded_type(hid_t type) {
    std::size_t bytes = 0;
    H5Tencode(type, nullptr, &bytes);
    std::string text(bytes, '\0');
    H5Tencode(type, text.data(), &bytes);
    return text;
}

std::string extent(hid_t space) {
    std::string text = std::to_string(H5Sget_simple_extent_type(space));
    std::vector<hsize_t> lengths(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, lengths.data(), nullptr);
    for (const hsize_t length : lengths)
        text += " " + std::to_string(length);
    return text + "\n";
}

std::string room(hid_t space, hid_t type) {
    const auto points = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
    return std::string(points * H5Tget_size(type), '\0');
}

std::string dataset_text(hid_t object) {
    const hdf5::Datatype type(H5Dget_type(object));
    const hdf5::Dataspace space(H5Dget_space(object));
    std::string values = room(space.get(), type.get());
    H5Dread(object, type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    return "dataset of " + std::to_string(H5Dget_storage_size(object)) + " bytes, extent " +
           extent(space.get()) + encoded_type(type.get()) + values;
}

std::string attribute_text(hid_t attribute) {
    const hdf5::Datatype type(H5Aget_type(attribute));
    const hdf5::Dataspace space(H5Aget_space(attribute));
    std::string values = room(space.get(), type.get());
    H5Aread(attribute, type.get(), values.data());
    return extent(space.get()) + encoded_type(type.get()) + values;
}

struct Visit {
    Contents& contents;
    std::string object;
};

herr_t visit_attribute(hid_t object, const char* name, const H5A_info_t*, void* data) {
    auto& visit = *static_cast<Visit*>(data);
    const hdf5::Attribute attribute(H5Aopen(object, name, H5P_DEFAULT));
    visit.contents[visit.object + "@" + name] = attribute_text(attribute.get());
    return 0;
}

herr_t visit_object(hid_t file, const char* name, const H5O_info_t* info, void* data) {
    Visit visit{*static_cast<Contents*>(data), name};
    const UniqueId<hid_t, &H5Oclose> object(H5Oopen(file, name, H5P_DEFAULT));
    visit.contents[name] =
        info->type == H5O_TYPE_DATASET ? dataset_text(object.get()) : std::string("group");
    H5Aiterate2(object.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, &visit_attribute, &visit);
    return 0;
}

}  // namespace

Contents file_contents(const std::filesystem::path& path) {
    Contents contents;
    const hdf5::File file = hdf5::open_for_reading(path);
    H5Ovisit(file.get(), H5_INDEX_NAME, H5_ITER_INC, &visit_object, &contents);
    return contents;
}

}  // namespace railgauge::test
