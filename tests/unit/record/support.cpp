// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#include "base/destroyer.hpp"
#include "base/error.hpp"
#include "record/case_table.hpp"
#include "record/observation_cells.hpp"
#include "record/rank_share.hpp"

namespace railgauge::test {
namespace {

namespace fs = std::filesystem;

using Handle = UniqueId<hid_t, &H5Idec_ref>;

Handle open(const fs::path& path) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    EXPECT_TRUE(file) << path << " cannot be opened";
    return file;
}

std::size_t length_of(hid_t dataset) {
    const Handle space(H5Dget_space(dataset));
    return static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get()));
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "railgauge-test-XXXXXX").native();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

SmallDisk::SmallDisk(std::uint64_t bytes) {
    mounted_ =
        ::mount("tmpfs", path().c_str(), "tmpfs", 0, fmt::format("size={}", bytes).c_str()) == 0;
}

SmallDisk::~SmallDisk() {
    if (mounted_) ::umount(path().c_str());
}

void SmallDisk::fill(std::uint64_t free_bytes) const {
    struct statvfs disk {};
    if (::statvfs(path().c_str(), &disk) != 0) throw std::runtime_error("no disk");
    const std::uint64_t available = disk.f_bavail * disk.f_bsize;
    if (available <= free_bytes) return;
    write_file(path() / "filler", std::string(available - free_bytes, 'x'));
}

FakeSamples::FakeSamples(std::vector<std::int64_t> start_ns, std::vector<std::int64_t> elapsed_ns,
                         std::uint64_t bytes)
    : columns_{{"start_ns", "ns", CellType::i64, {}},
               {"bytes", "B", CellType::u64, bytes},
               {"elapsed_ns", "ns", CellType::i64, {}}},
      start_ns_(std::move(start_ns)),
      elapsed_ns_(std::move(elapsed_ns)) {}

void FakeSamples::copy(std::size_t column, std::uint64_t first, std::span<Cell> out) const {
    const std::vector<std::int64_t>& cells = column == 0 ? start_ns_ : elapsed_ns_;
    for (Cell& cell : out)
        cell = static_cast<Cell>(cells.at(first++));
}

FakeSamples numbered_samples(int rank, std::uint64_t rows) {
    std::vector<std::int64_t> start;
    std::vector<std::int64_t> elapsed;
    for (std::uint64_t row = 0; row < rows; ++row) {
        start.push_back(std::int64_t{rank} * 1'000'000 + static_cast<std::int64_t>(row));
        elapsed.push_back(-start.back());
    }
    return {std::move(start), std::move(elapsed), 4096};
}

UnreadableSamples::UnreadableSamples(std::uint64_t rows) : FakeSamples(numbered_samples(0, rows)) {}

void UnreadableSamples::copy(std::size_t, std::uint64_t, std::span<Cell>) const {
    throw Error(ExitCode::library, "samples cannot be read", "a test wants it so", "nothing");
}

std::vector<Case> make_cases(int count) {
    std::vector<Case> cases;
    for (int i = 0; i < count; ++i) {
        cases.emplace_back(fmt::format("case/{}", i),
                           std::vector<Variable>{{"benchmark", std::string("test")},
                                                 {"operation", std::string("all_reduce")},
                                                 {"backend", std::string("mpi")},
                                                 {"memory", std::string("host")},
                                                 {"bytes", std::int64_t{1024} * (i + 1)},
                                                 {"load", 0.5 * i}});
        cases.back().set_id(i);
    }
    return cases;
}

RunContext make_context(int ranks) {
    RunContext context;
    context.program = "railgauge-test";
    context.version = "0.1.0";
    context.git_revision = "unknown";
    context.argv = {"--out", "a b\"c"};
    context.started_utc = "2024-05-01T00:00:00Z";
    context.clock_unix_ns = 1'000'000'000;
    context.plan_id = "0123456789abcdef";
    for (int rank = 0; rank < ranks; ++rank) {
        RankRow row;
        row.rank = rank;
        row.local_rank = rank;
        row.host = "노드-1";
        context.ranks.push_back(row);
    }
    context.nodes = {{0, "노드-1", R"({"hostname": "노드-1"})"}};
    return context;
}

CaseResult make_result(CaseStatus status) {
    CaseResult result;
    result.status = status;
    result.reason = status == CaseStatus::done ? "" : "왜냐하면";
    result.algbw_bytes = 1024;
    result.bus_factor = 1.5;
    result.blocks = {0, 2};
    return result;
}

void write_part(const fs::path& path, const std::vector<Case>& plan, int case_id,
                const CaseResult& result, const std::vector<RankData>& ranks,
                const std::string& plan_id, const GatherOptions& options) {
    std::vector<std::vector<Cell>> observations;
    std::vector<RankShare> shares;
    for (const RankData& rank : ranks) {
        observations.push_back(pack_observations(rank.observations, rank.node, options.shift_ns));
        RankShare& share = shares.emplace_back();
        share.group = rank.group;
        share.block_cells = options.block_cells;
        share.observation_cells = observations.back().size();
        share.describe(rank.samples);
    }
    const Case& planned = plan.at(static_cast<std::size_t>(case_id));
    CaseResult counted = result;
    for (const RankShare& share : shares)
        counted.samples += share.rows;
    CaseFrame frame{.case_id = case_id,
                    .plan_id = plan_id,
                    .case_row = CaseTable(plan).rows({&planned, 1}, {&counted, 1}),
                    .blocks = result.blocks,
                    .columns = {}};
    if (ranks.front().samples != nullptr) frame.columns = ranks.front().samples->columns();
    PartAssembly part(shares, path, std::move(frame), options.listener);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const BlockSender sender(shares[rank], ranks[rank].samples, observations[rank],
                                 options.shift_ns);
        for (std::uint64_t block = 0; block < shares[rank].blocks(); ++block) {
            std::vector<Cell> cells(shares[rank].cells_of(block));
            sender.fill(block, cells);
            part.take(static_cast<int>(rank), block, cells);
            part.flush();
        }
    }
    part.commit();
}

std::vector<std::int64_t> read_integers(const fs::path& path, const std::string& name) {
    const Handle file = open(path);
    const Handle dataset(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT));
    if (!dataset) throw std::runtime_error("no dataset " + name);
    std::vector<std::int64_t> values(length_of(dataset.get()));
    H5Dread(dataset.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    return values;
}

std::string read_attribute(const fs::path& path, const std::string& object,
                           const std::string& name) {
    const Handle file = open(path);
    const Handle attribute(
        H5Aopen_by_name(file.get(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
    if (!attribute) return "(none)";
    const Handle type(H5Aget_type(attribute.get()));
    std::string text(H5Tget_size(type.get()), '\0');
    H5Aread(attribute.get(), type.get(), text.data());
    return text.c_str();
}

std::string read_text(const fs::path& path, const std::string& name) {
    const Handle file = open(path);
    const Handle dataset(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT));
    const Handle type(H5Dget_type(dataset.get()));
    std::string text(H5Tget_size(type.get()), '\0');
    H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data());
    return text.substr(0, text.find_last_not_of('\0') + 1);
}

bool exists(const fs::path& path, const std::string& name) {
    const Handle file = open(path);
    for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {
        if (H5Lexists(file.get(), name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
        if (end == std::string::npos) return true;
    }
}

std::vector<std::string> read_text_column(const fs::path& path, const std::string& table,
                                          const std::string& column) {
    const Handle file = open(path);
    const Handle dataset(H5Dopen2(file.get(), table.c_str(), H5P_DEFAULT));
    const Handle stored(H5Dget_type(dataset.get()));
    const int index = H5Tget_member_index(stored.get(), column.c_str());
    if (index < 0) throw std::runtime_error("no column " + column);
    const Handle text(H5Tget_member_type(stored.get(), static_cast<unsigned>(index)));
    const std::size_t bytes = H5Tget_size(text.get());
    const Handle row(H5Tcreate(H5T_COMPOUND, bytes));
    H5Tinsert(row.get(), column.c_str(), 0, text.get());
    std::vector<char> cells(bytes * length_of(dataset.get()));
    H5Dread(dataset.get(), row.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data());
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < cells.size(); i += bytes) {
        texts.emplace_back(cells.data() + i, ::strnlen(cells.data() + i, bytes));
    }
    return texts;
}

std::vector<std::int64_t> read_integer_column(const fs::path& path, const std::string& table,
                                              const std::string& column) {
    const Handle file = open(path);
    const Handle dataset(H5Dopen2(file.get(), table.c_str(), H5P_DEFAULT));
    const Handle row(H5Tcreate(H5T_COMPOUND, sizeof(std::int64_t)));
    H5Tinsert(row.get(), column.c_str(), 0, H5T_NATIVE_INT64);
    std::vector<std::int64_t> cells(length_of(dataset.get()));
    const herr_t got =
        H5Dread(dataset.get(), row.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data());
    if (got < 0) throw std::runtime_error("no column " + column);
    return cells;
}

std::vector<std::string> list(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        names.push_back(entry.path().filename().native());
    }
    std::sort(names.begin(), names.end());
    return names;
}

void write_file(const fs::path& path, const std::string& content) {
    std::ofstream file(path, std::ios::binary);
    file << content;
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

std::string run_command(const std::string& command) {
    std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("no shell");
    std::string output;
    std::array<char, 4096> buffer{};
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
        output.append(buffer.data(), got);
    }
    EXPECT_EQ(::pclose(pipe), 0) << command << '\n' << output;
    return output;
}

}  // namespace railgauge::test
