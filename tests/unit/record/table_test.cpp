// SPDX-License-Identifier: Apache-2.0
#include "record/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "record/output_file.hpp"
#include "record/values.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct Row {
    int number;
    std::int64_t time;
    std::uint64_t count;
    double value;
    std::string text;
};

Table make_table(const std::vector<Row>& rows) {
    Table table;
    table.add("number", rows, &Row::number);
    table.add("time", rows, &Row::time);
    table.add("count", rows, &Row::count);
    table.add("value", rows, &Row::value);
    table.add("text", rows, &Row::text);
    return table;
}

class TableTest : public testing::Test {
  protected:
    /// Writes by `fill`, then opens for reading.
    template <class Fill>
    hdf5::File file_with(Fill fill) {
        OutputFile file(path_);
        fill(file.id());
        file.commit();
        return hdf5::open_for_reading(path_);
    }

    test::TemporaryFolder folder_;
    std::filesystem::path path_ = folder_.path() / "table.h5";
};

TEST_F(TableTest, reads_back_what_it_wrote) {
    const std::vector<Row> rows{{-1, -5, UINT64_MAX, 0.25, "첫째"}, {7, INT64_MAX, 0, -1e300, ""}};
    const hdf5::File file = file_with([&](hid_t id) { write_table(id, "rows", make_table(rows)); });
    const Table read = read_table(file.get(), "rows", 2);
    ASSERT_EQ(read.columns.size(), 5U);
    EXPECT_EQ(read.columns[0].name, "number");
    EXPECT_THAT(std::get<std::vector<std::int32_t>>(read.columns[0].cells), ElementsAre(-1, 7));
    EXPECT_THAT(std::get<std::vector<std::int64_t>>(read.columns[1].cells),
                ElementsAre(-5, INT64_MAX));
    EXPECT_THAT(std::get<std::vector<std::uint64_t>>(read.columns[2].cells),
                ElementsAre(UINT64_MAX, 0U));
    EXPECT_THAT(std::get<std::vector<double>>(read.columns[3].cells), ElementsAre(0.25, -1e300));
    EXPECT_THAT(std::get<std::vector<std::string>>(read.columns[4].cells), ElementsAre("첫째", ""));
}

TEST_F(TableTest, text_is_as_wide_as_the_longest_and_never_cut) {
    const std::string longest(100'000, 'x');
    const std::vector<Row> rows{{0, 0, 0, 0, longest}, {0, 0, 0, 0, "y"}};
    file_with([&](hid_t id) { write_table(id, "rows", make_table(rows)); });
    EXPECT_THAT(test::read_text_column(path_, "rows", "text"), ElementsAre(longest, "y"));
}

TEST_F(TableTest, replaces_a_row_by_name_and_keeps_what_the_other_lacks) {
    Table table = make_table({{1, 1, 1, 1, "a"}, {2, 2, 2, 2, "b"}});
    Table other;
    const std::vector<Row> rows{{0, 9, 0, 0, "bb"}};
    other.add("text", rows, &Row::text);
    other.add("time", rows, &Row::time);
    other.add("value", rows, &Row::text);  // another type than the table's
    table.replace_row(1, other);
    EXPECT_THAT(std::get<std::vector<std::string>>(table.find("text")->cells),
                ElementsAre("a", "bb"));
    EXPECT_THAT(std::get<std::vector<std::int64_t>>(table.find("time")->cells), ElementsAre(1, 9));
    EXPECT_THAT(std::get<std::vector<double>>(table.find("value")->cells), ElementsAre(1, 2));
}

TEST_F(TableTest, refuses_another_number_of_rows) {
    const hdf5::File file = file_with([&](hid_t id) {
        write_table(id, "rows", make_table({{1, 1, 1, 1, "a"}}));
    });
    EXPECT_THAT([&] { read_table(file.get(), "rows", 2); },
                ThrowsMessage<Error>(HasSubstr("'" + path_.native() + "' is damaged")));
}

TEST_F(TableTest, refuses_what_is_no_table) {
    const hdf5::File file = file_with([&](hid_t id) {
        hdf5::write_vector(id, "vector", std::vector<std::uint64_t>{1});
        hdf5::write_text(id, "text", "scalar");
        hdf5::create_group(id, "group");
    });
    for (const char* name : {"vector", "text", "group", "nothing"}) {
        EXPECT_THROW(read_table(file.get(), name, 1), Error) << name;
    }
}

/// A table of one column of `type`, without data.
void write_column(hid_t file, const char* name, hid_t type) {
    const hdf5::Datatype row(H5Tcreate(H5T_COMPOUND, H5Tget_size(type)));
    H5Tinsert(row.get(), "column", 0, type);
    const hdf5::Dataset dataset(H5Dcreate2(file, name, row.get(), hdf5::vector_space(1).get(),
                                           H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    ASSERT_TRUE(dataset);
}

TEST_F(TableTest, refuses_columns_of_unknown_types) {
    const hdf5::File file = file_with([&](hid_t id) {
        const hdf5::Datatype variable(H5Tcopy(H5T_C_S1));
        H5Tset_size(variable.get(), H5T_VARIABLE);
        const hdf5::Datatype lists(H5Tvlen_create(H5T_NATIVE_INT));
        const hsize_t many = 1000;
        const hdf5::Datatype array(H5Tarray_create2(H5T_NATIVE_INT, 1, &many));
        const hdf5::Datatype huge = hdf5::text_type(hdf5::most_text_bytes + 1);
        write_column(id, "variable text", variable.get());
        write_column(id, "lists", lists.get());
        write_column(id, "array", array.get());
        write_column(id, "huge", huge.get());
        write_column(id, "reference", H5T_STD_REF_OBJ);
        write_column(id, "short", H5T_NATIVE_INT16);
    });
    for (const char* name : {"variable text", "lists", "array", "huge", "reference", "short"}) {
        EXPECT_THAT([&] { read_table(file.get(), name, 1); },
                    ThrowsMessage<Error>(HasSubstr("unknown type")))
            << name;
    }
}

}  // namespace
}  // namespace railgauge
