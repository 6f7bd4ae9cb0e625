// SPDX-License-Identifier: Apache-2.0
// Parts and headers that are truncated, damaged or made up: the case is measured again or one line
// says why the run cannot be resumed. Metadata carry checksums, so damage is found before it is
// believed.
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "record/case_table.hpp"
#include "record/hdf5.hpp"
#include "record/output_file.hpp"
#include "record/run_start.hpp"
#include "record/values.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

class HostilePartTest : public testing::Test {
  protected:
    void SetUp() override {
        start_run(paths_, ExistingRun::overwrite, context_, plan_);
        const auto samples = test::numbered_samples(0, 50);
        const test::RankData rank{&samples};
        test::write_part(paths_.part(0), plan_, 0, test::make_result(CaseStatus::done),
                         {rank, rank}, context_.plan_id);
        part_ = test::read_file(paths_.part(0));
        header_ = test::read_file(paths_.header());
    }

    PartState resumed_state() {
        return start_run(paths_, ExistingRun::resume, context_, plan_).parts.front();
    }

    void expect_measured_again(const std::string& part, const std::string& what) {
        test::write_file(paths_.part(0), part);
        EXPECT_EQ(resumed_state(), PartState::missing) << what;
    }

    /// Resumes with a damaged file: any answer but a crash; a refusal is one line.
    void expect_an_answer(const std::filesystem::path& path, const std::string& content) {
        test::write_file(path, content);
        try {
            resumed_state();
        } catch (const Error& error) {
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        }
    }

    test::TemporaryFolder folder_;
    RunPaths paths_{folder_.path() / "run"};
    RunContext context_ = test::make_context(2);
    std::vector<Case> plan_ = test::make_cases(1);
    std::string part_;
    std::string header_;
};

TEST_F(HostilePartTest, an_untouched_part_is_kept) {
    EXPECT_EQ(resumed_state(), PartState::finished);
}

TEST_F(HostilePartTest, a_part_cut_anywhere_is_measured_again) {
    for (std::size_t length = 0; length < part_.size(); length += 97) {
        expect_measured_again(part_.substr(0, length), std::to_string(length));
    }
    expect_measured_again(part_.substr(0, part_.size() - 1), "one byte short");
}

TEST_F(HostilePartTest, a_header_cut_anywhere_is_refused) {
    for (std::size_t length = 0; length < header_.size(); length += 97) {
        test::write_file(paths_.header(), header_.substr(0, length));
        EXPECT_THROW(resumed_state(), Error) << length;
    }
}

TEST_F(HostilePartTest, what_is_no_part_is_measured_again) {
    expect_measured_again("", "empty");
    expect_measured_again("once upon a time", "text");
    expect_measured_again(std::string(100'000, '\0'), "zeros");
    expect_measured_again("\x89HDF\r\n\x1a\n" + std::string(10'000, '\xff'), "signature and noise");
    expect_measured_again(header_, "a header");
    std::filesystem::remove(paths_.part(0));
    std::filesystem::create_directory(paths_.part(0));
    EXPECT_EQ(resumed_state(), PartState::missing) << "a folder";
    std::filesystem::remove(paths_.part(0));
    std::filesystem::create_symlink("nowhere", paths_.part(0));
    EXPECT_EQ(resumed_state(), PartState::missing) << "a broken link";
}

TEST_F(HostilePartTest, any_flipped_byte_gets_an_answer) {
    std::mt19937 random(1);  // NOLINT: the same damage in every run
    for (const auto& [path, whole] :
         {std::pair{paths_.part(0), part_}, {paths_.header(), header_}}) {
        for (int i = 0; i < 200; ++i) {
            std::string content = whole;
            const int flips = 1 + static_cast<int>(random() % 4);
            for (int flip = 0; flip < flips; ++flip) {
                content[random() % content.size()] = static_cast<char>(random());
            }
            expect_an_answer(path, content);
        }
        test::write_file(path, whole);
    }
}

/// Writes another part 0: `fill` gets the file after schema and plan.
template <class Fill>
void forge(const RunPaths& paths, const std::string& plan_id, Fill fill) {
    OutputFile file(paths.part(0));
    hdf5::write_attribute(file.id(), "schema", run_schema);
    hdf5::write_attribute(file.id(), "plan_id", plan_id);
    fill(file.id());
    file.commit();
}

TEST_F(HostilePartTest, a_part_of_another_plan_is_measured_again) {
    forge(paths_, "another plan", [&](hid_t) {});
    EXPECT_EQ(resumed_state(), PartState::missing);
}

TEST_F(HostilePartTest, a_part_without_a_case_is_measured_again) {
    forge(paths_, context_.plan_id, [](hid_t) {});
    EXPECT_EQ(resumed_state(), PartState::missing);
}

TEST_F(HostilePartTest, a_part_of_another_case_is_measured_again) {
    const std::vector<Case> two = test::make_cases(2);
    forge(paths_, context_.plan_id, [&](hid_t file) {
        CaseResult result = test::make_result(CaseStatus::done);
        write_table(file, "cases", CaseTable(two).rows({&two[1], 1}, {&result, 1}));
    });
    EXPECT_EQ(resumed_state(), PartState::missing);
}

TEST_F(HostilePartTest, a_part_with_an_unknown_status_is_measured_again) {
    forge(paths_, context_.plan_id, [&](hid_t file) {
        CaseResult result = test::make_result(CaseStatus::done);
        Table row = CaseTable(plan_).rows({plan_.data(), 1}, {&result, 1});
        for (auto& column : row.columns) {
            if (column.name == "status") column.cells = std::vector<std::string>{"splendid"};
        }
        write_table(file, "cases", row);
    });
    EXPECT_EQ(resumed_state(), PartState::missing);
}

class MissingSamplesTest : public HostilePartTest {
  protected:
    /// A part that claims 100 samples, with `fill` in place of them.
    template <class Fill>
    void claim_samples(Fill fill) {
        forge(paths_, context_.plan_id, [&](hid_t file) {
            CaseResult result = test::make_result(CaseStatus::done);
            result.samples = 100;
            write_table(file, "cases", CaseTable(plan_).rows({plan_.data(), 1}, {&result, 1}));
            fill(file);
        });
    }
};

TEST_F(MissingSamplesTest, samples_that_are_not_there_are_measured_again) {
    claim_samples([](hid_t) {});
    EXPECT_EQ(resumed_state(), PartState::missing);
}

TEST_F(MissingSamplesTest, samples_of_another_number_are_measured_again) {
    claim_samples([](hid_t file) {
        const hdf5::Group parent = hdf5::create_group(file, "samples");
        const hdf5::Group group = hdf5::create_group(parent.get(), "0000");
        hdf5::write_vector(group.get(), "offsets", std::vector<std::uint64_t>{0, 50, 99});
    });
    EXPECT_EQ(resumed_state(), PartState::missing);
}

TEST_F(MissingSamplesTest, a_column_of_another_length_is_measured_again) {
    claim_samples([](hid_t file) {
        const hdf5::Group parent = hdf5::create_group(file, "samples");
        const hdf5::Group group = hdf5::create_group(parent.get(), "0000");
        hdf5::write_vector(group.get(), "offsets", std::vector<std::uint64_t>{0, 50, 100});
        hdf5::write_vector(group.get(), "start_ns", std::vector<std::uint64_t>(7));
        hdf5::write_vector(group.get(), "elapsed_ns", std::vector<std::uint64_t>(7));
    });
    EXPECT_EQ(resumed_state(), PartState::missing);
}

TEST_F(HostilePartTest, a_damaged_part_is_kept_until_the_case_is_measured_again) {
    test::write_file(paths_.part(0), "damaged");
    resumed_state();
    EXPECT_EQ(test::read_file(paths_.part(0)), "damaged");
}

}  // namespace
}  // namespace railgauge
