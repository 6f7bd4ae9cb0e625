// SPDX-License-Identifier: Apache-2.0
// What the tests of the recorder share. Files are read back by the plain C interface of HDF5, not
// by the code under test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "measure/case.hpp"
#include "measure/observer.hpp"
#include "measure/sample.hpp"
#include "record/part_assembly.hpp"
#include "record/run_context.hpp"

namespace railgauge::test {

/// A new folder that is removed with everything in it.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

/// A file system of its own that is soon full; not there where mounting is not allowed.
class SmallDisk {
  public:
    explicit SmallDisk(std::uint64_t bytes);
    ~SmallDisk();
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    bool is_mounted() const { return mounted_; }
    const std::filesystem::path& path() const { return folder_.path(); }

    /// Leaves `free_bytes` free, in whole pages.
    void fill(std::uint64_t free_bytes) const;

  private:
    TemporaryFolder folder_;
    bool mounted_ = false;
};

/// Samples given as lists: start_ns, elapsed_ns, a constant bytes.
class FakeSamples : public SampleSource {
  public:
    FakeSamples(std::vector<std::int64_t> start_ns, std::vector<std::int64_t> elapsed_ns,
                std::uint64_t bytes);

    const std::vector<SampleColumn>& columns() const override { return columns_; }
    std::uint64_t rows() const override { return start_ns_.size(); }
    void copy(std::size_t column, std::uint64_t first, std::span<Cell> out) const override;

  private:
    std::vector<SampleColumn> columns_;
    std::vector<std::int64_t> start_ns_;
    std::vector<std::int64_t> elapsed_ns_;
};

/// `rows` samples that tell their rank: start_ns is rank * 1'000'000 + row.
FakeSamples numbered_samples(int rank, std::uint64_t rows);

/// Reading these samples fails, as a damaged spool does.
class UnreadableSamples : public FakeSamples {
  public:
    explicit UnreadableSamples(std::uint64_t rows);
    void copy(std::size_t column, std::uint64_t first, std::span<Cell> out) const override;
};

/// One row of a column that no FakeSamples have.
class OtherSamples : public SampleSource {
  public:
    const std::vector<SampleColumn>& columns() const override { return columns_; }
    std::uint64_t rows() const override { return 1; }
    void copy(std::size_t, std::uint64_t, std::span<Cell> out) const override { out[0] = 1; }

  private:
    std::vector<SampleColumn> columns_{{"other", "ns", CellType::i64, {}}};
};

/// Cases named case/0, case/1, ... with a text, an integer and a real variable.
std::vector<Case> make_cases(int count);

RunContext make_context(int ranks);

CaseResult make_result(CaseStatus status);

/// One rank's share of a case.
struct RankData {
    const SampleSource* samples = nullptr;
    int group = 0;
    Observations observations{};
    int node = 0;
};

struct GatherOptions {
    std::size_t block_cells = 1 << 20;
    std::int64_t shift_ns = 0;
    GatherListener listener{};
};

/// Does to `ranks` what the Recorder does over MPI, and writes the part.
void write_part(const std::filesystem::path& path, const std::vector<Case>& plan, int case_id,
                const CaseResult& result, const std::vector<RankData>& ranks,
                const std::string& plan_id, const GatherOptions& options = {});

/// A vector dataset as integers.
std::vector<std::int64_t> read_integers(const std::filesystem::path& file, const std::string& name);
std::string read_attribute(const std::filesystem::path& file, const std::string& object,
                           const std::string& name);
bool exists(const std::filesystem::path& file, const std::string& name);

/// A scalar dataset of fixed-length text, without its padding.
std::string read_text(const std::filesystem::path& file, const std::string& name);

/// Text column of a compound dataset.
std::vector<std::string> read_text_column(const std::filesystem::path& file,
                                          const std::string& table, const std::string& column);
std::vector<std::int64_t> read_integer_column(const std::filesystem::path& file,
                                              const std::string& table, const std::string& column);

/// Names in a folder, sorted.
std::vector<std::string> list(const std::filesystem::path& folder);

void write_file(const std::filesystem::path& path, const std::string& content);
std::string read_file(const std::filesystem::path& path);

/// Output of a command, both streams; fails the test when it does not exit with 0.
std::string run_command(const std::string& command);

}  // namespace railgauge::test
