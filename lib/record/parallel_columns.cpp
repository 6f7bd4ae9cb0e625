// SPDX-License-Identifier: Apache-2.0
#include "record/parallel_columns.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "mpi/check.hpp"
#include "mpi/gather_texts.hpp"
#include "record/hdf5.hpp"
#include "record/rank_share.hpp"
#include "record/values.hpp"

namespace railgauge {
namespace {

using hdf5::check;

/// Access by all ranks of `comm`; what one must read of the metadata is read once and shared.
hdf5::PropertyList shared_access(MPI_Comm comm) {
    constexpr const char* what = "the access by MPI-IO";
    hdf5::PropertyList access = hdf5::file_access();
    check(H5Pset_fapl_mpio(access.get(), comm, MPI_INFO_NULL), -1, "prepare", what);
    check(H5Pset_all_coll_metadata_ops(access.get(), true), -1, "prepare", what);
    check(H5Pset_coll_metadata_write(access.get(), true), -1, "prepare", what);
    return access;
}

hdf5::PropertyList collective_transfer() {
    constexpr const char* what = "the transfer by MPI-IO";
    hdf5::PropertyList transfer(check(H5Pcreate(H5P_DATASET_XFER), -1, "prepare", what));
    check(H5Pset_dxpl_mpio(transfer.get(), H5FD_MPIO_COLLECTIVE), -1, "prepare", what);
    return transfer;
}

/// Opens `path` on all ranks or on none. Closing is collective: where some ranks have the file and
/// others do not, those that do can neither close it nor end MPI without waiting for ever. What can
/// keep one rank from a file is found before (require_reach); should the MPI library fail on some
/// ranks alone all the same, the others may wait inside it until the job's deadline.
hdf5::File open_together(Team& team, MPI_Comm comm, const std::filesystem::path& path) {
    hdf5::File file;
    const std::optional<Failure> failure = attempt([&] {
        const hdf5::PropertyList access = shared_access(comm);
        file.reset(
            check(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), -1, "open", path.native()));
    });
    const bool is_open_somewhere = team.max(std::int64_t{file ? 1 : 0}) != 0;
    try {
        team.agree(failure, {});
    } catch (const AgreedError& error) {
        if (!is_open_somewhere) throw;
        file.release();
        throw Error(error.code(), error.what());
    }
    return file;
}

std::size_t index_of(const SampleSource& samples, const std::string& name) {
    const std::vector<SampleColumn>& columns = samples.columns();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].name == name) return i;
    }
    throw std::logic_error("a rank lacks a column that it has rows of");
}

/// A file of all ranks with its columns open.
class SharedPart {
  public:
    SharedPart(Team& team, MPI_Comm comm, const ParallelColumns::Target& target)
        : file_(open_together(team, comm, target.file)),
          transfer_(collective_transfer()),
          names_(target.columns) {
        agreed(team, [&] {
            for (const std::string& name : target.columns) {
                const std::string path = fmt::format("{}/{}", target.group, name);
                columns_.emplace_back(check(H5Dopen2(file_.get(), path.c_str(), H5P_DEFAULT),
                                            file_.get(), "open", path));
            }
        });
    }

    /// Writes `cells` to `column` from `row` on; collective, though a rank may have no cells.
    void write(std::size_t column, std::uint64_t row, std::span<const Cell> cells) const {
        constexpr const char* what = "the choice of rows";
        const hid_t dataset = columns_[column].get();
        const hsize_t first = row;
        const hsize_t count = std::max<std::size_t>(1, cells.size());
        const hdf5::Dataspace memory = hdf5::vector_space(count);
        const hdf5::Dataspace stored(check(H5Dget_space(dataset), -1, "prepare", what));
        if (cells.empty()) {
            check(H5Sselect_none(memory.get()), -1, "prepare", what);
            check(H5Sselect_none(stored.get()), -1, "prepare", what);
        } else {
            check(
                H5Sselect_hyperslab(stored.get(), H5S_SELECT_SET, &first, nullptr, &count, nullptr),
                -1, "prepare", what);
        }
        const hdf5::Datatype type(check(H5Dget_type(dataset), -1, "prepare", what));
        check(H5Dwrite(dataset, type.get(), memory.get(), stored.get(), transfer_.get(),
                       cells.data()),
              file_.get(), "write column", names_[column]);
    }

    void close() {
        const std::string name = hdf5::file_of(file_.get());
        columns_.clear();
        if (H5Fclose(file_.release()) < 0) hdf5::throw_failure(-1, "close", name);
    }

  private:
    hdf5::File file_;
    hdf5::PropertyList transfer_;
    const std::vector<std::string>& names_;
    std::vector<hdf5::Dataset> columns_;  // closed before the file
};

/// This rank's rows of all columns, block by block; as many blocks on every rank.
class RowFeed {
  public:
    RowFeed(const ParallelColumns::OwnRows& own, std::uint64_t first_row, std::uint64_t block_rows)
        : own_(own),
          first_row_(first_row),
          block_rows_(block_rows),
          cells_(std::min(block_rows, own.rows)) {}

    std::uint64_t blocks() const { return (own_.rows + block_rows_ - 1) / block_rows_; }

    /// Takes part in the writing of a block whatever happens: others wait for this rank.
    void write(const SharedPart& part, std::size_t column, const std::string& name,
               std::uint64_t block) {
        const std::uint64_t begin = std::min(own_.rows, block * block_rows_);
        std::span<Cell> cells = std::span(cells_).first(std::min(block_rows_, own_.rows - begin));
        if (!cells.empty()) {
            note(attempt([&] {
                copy_rows(*own_.samples, index_of(*own_.samples, name), begin, cells,
                          own_.shift_ns);
            }));
        }
        if (failure_) cells = {};
        note(attempt([&] { part.write(column, first_row_ + begin, cells); }));
    }

    void note(std::optional<Failure> failure) {
        if (!failure_) failure_ = std::move(failure);
    }

    const std::optional<Failure>& failure() const { return failure_; }

  private:
    const ParallelColumns::OwnRows& own_;
    std::uint64_t first_row_;
    std::uint64_t block_rows_;
    std::vector<Cell> cells_;
    std::optional<Failure> failure_;  ///< the first
};

}  // namespace

/// A rank that has no samples knows no columns, and ranks may see the folder by other names.
void ParallelColumns::share(Target& target) const {
    target.file = broadcast_text(comm_, 0, target.file.native());
    target.group = broadcast_text(comm_, 0, target.group);
    std::string names;
    for (const std::string& name : target.columns)
        names += name + '\n';
    names = broadcast_text(comm_, 0, std::move(names));
    target.columns.clear();
    for (std::size_t begin = 0; begin < names.size();) {
        const std::size_t end = names.find('\n', begin);
        target.columns.push_back(names.substr(begin, end - begin));
        begin = end + 1;
    }
}

/// Opens and looks at the file on every rank by itself: what keeps one node from it is told here,
/// in errno's words, where ranks do not yet wait for each other inside HDF5.
void ParallelColumns::require_reach(const Target& target) {
    std::error_code error;
    const std::uintmax_t size =
        team_.rank() == 0 ? std::filesystem::file_size(target.file, error) : 0;
    const std::int64_t expected = team_.max(static_cast<std::int64_t>(error ? 0 : size));
    agreed(team_, [&] {
        const FileDescriptor file(check_errno(::open(target.file.c_str(), O_RDWR | O_CLOEXEC),
                                              "opening", target.file.native()));
        struct stat status {};
        check_errno(::fstat(file.get(), &status), "looking at", target.file.native());
        if (status.st_size == expected) return;
        throw Error(ExitCode::library, fmt::format("'{}' cannot be written", target.file.native()),
                    "it is not the file that rank 0 made",
                    "choose an --out that all nodes share or use --writer gather");
    });
}

std::uint64_t ParallelColumns::first_row(const OwnRows& own) const {
    std::uint64_t first = 0;
    check_mpi(MPI_Exscan(&own.rows, &first, 1, MPI_UINT64_T, MPI_SUM, comm_),
              "placing the ranks' rows");
    return team_.rank() == 0 ? 0 : first;  // what rank 0 receives is undefined
}

void ParallelColumns::write(Target target, const OwnRows& own) {
    share(target);
    if (target.columns.empty()) return;
    require_reach(target);
    const std::uint64_t first = first_row(own);
    const auto ranks = static_cast<std::size_t>(team_.size());
    std::optional<RowFeed> feed;
    agreed(team_,
           [&] { feed.emplace(own, first, std::max<std::size_t>(1, block_cells_ / ranks)); });
    const auto blocks =
        static_cast<std::uint64_t>(team_.max(static_cast<std::int64_t>(feed->blocks())));
    SharedPart part(team_, comm_, target);
    const auto write_all = [&] {
        for (std::size_t column = 0; column < target.columns.size(); ++column) {
            for (std::uint64_t block = 0; block < blocks; ++block) {
                feed->write(part, column, target.columns[column], block);
                progress_.tick();
                if (team_.max(std::int64_t{feed->failure() ? 1 : 0}) != 0) return;
            }
        }
    };
    write_all();
    feed->note(attempt([&] { part.close(); }));
    team_.agree(feed->failure(), {});
}

}  // namespace railgauge
