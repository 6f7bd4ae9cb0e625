// SPDX-License-Identifier: Apache-2.0
#include "measure/sample_sink.hpp"

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"

namespace railgauge {
namespace {

constexpr std::size_t cells_per_block = std::size_t{128} << 10;

/// A file without a name in `folder`.
FileDescriptor open_unnamed(const std::filesystem::path& folder) {
    FileDescriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file) return file;
    // Not every file system knows O_TMPFILE.
    std::string name = (folder / "spool-XXXXXX").native();
    file.reset(check_errno(::mkostemp(name.data(), O_CLOEXEC), "creating a spool file in", folder));
    check_errno(::unlink(name.c_str()), "removing", name);
    return file;
}

void write_all(int file, std::uint64_t offset, std::span<const std::byte> bytes,
               const std::filesystem::path& folder) {
    while (!bytes.empty()) {
        const ssize_t written =
            ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        check_errno(written < 0 ? -1 : 0, "spooling samples in", folder);
        offset += static_cast<std::uint64_t>(written);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void read_all(int file, std::uint64_t offset, std::span<std::byte> bytes,
              const std::filesystem::path& folder) {
    while (!bytes.empty()) {
        const ssize_t got = ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = EIO;  // shorter than what was written: the file system lost it
        check_errno(got <= 0 ? -1 : 0, "reading spooled samples in", folder);
        offset += static_cast<std::uint64_t>(got);
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
}

}  // namespace

/// Blocks of equally many rows, each column by column: all but the last in the file. A block is
/// written when the next row needs its place, so that a failed write loses nothing.
class SampleSink::Spool {
  public:
    Spool(std::filesystem::path folder, std::vector<SampleColumn> columns)
        : folder_(std::move(folder)), columns_(std::move(columns)) {
        for (const SampleColumn& column : columns_) {
            places_.push_back(width_);
            if (!column.constant) ++width_;
        }
        block_rows_ = cells_per_block / std::max<std::size_t>(1, width_);
        block_.resize(width_ * block_rows_);
    }

    void add(std::span<const Cell> row) {
        if (row.size() != width_) throw std::logic_error("a row has another number of cells");
        if (used_ == block_rows_) spool_block();
        for (std::size_t i = 0; i < width_; ++i) {
            block_[i * block_rows_ + used_] = row[i];
        }
        ++used_;
    }

    const std::vector<SampleColumn>& columns() const { return columns_; }
    std::uint64_t rows() const { return spooled_rows_ + used_; }

    void copy(std::size_t column, std::uint64_t first, std::span<Cell> out) const {
        while (!out.empty()) {
            const std::uint64_t within = first % block_rows_;
            const std::size_t count = std::min<std::size_t>(out.size(), block_rows_ - within);
            copy_from_block(first / block_rows_, places_.at(column) * block_rows_ + within,
                            out.first(count));
            first += count;
            out = out.subspan(count);
        }
    }

  private:
    void spool_block() {
        if (!file_) file_ = open_unnamed(folder_);
        write_all(file_.get(), spooled_rows_ * width_ * sizeof(Cell),
                  std::as_bytes(std::span(block_)), folder_);
        spooled_rows_ += used_;
        used_ = 0;
    }

    void copy_from_block(std::uint64_t block, std::size_t cell, std::span<Cell> out) const {
        if (block == spooled_rows_ / block_rows_) {
            std::copy_n(block_.begin() + static_cast<std::ptrdiff_t>(cell), out.size(),
                        out.begin());
            return;
        }
        read_all(file_.get(), (block * block_.size() + cell) * sizeof(Cell),
                 std::as_writable_bytes(out), folder_);
    }

    std::filesystem::path folder_;
    std::vector<SampleColumn> columns_;
    std::vector<std::size_t> places_;  ///< of each column in a row, constants not counted
    std::size_t width_ = 0;            ///< cells of a row
    std::size_t block_rows_ = 0;
    std::size_t used_ = 0;  ///< rows in `block_`
    std::uint64_t spooled_rows_ = 0;
    std::vector<Cell> block_;
    FileDescriptor file_;
};

SampleSink::SampleSink(std::filesystem::path folder, std::vector<SampleColumn> columns)
    : spool_(std::make_unique<Spool>(std::move(folder), std::move(columns))) {}

SampleSink::~SampleSink() = default;

void SampleSink::add(std::span<const Cell> row) {
    spool_->add(row);
}

const std::vector<SampleColumn>& SampleSink::columns() const {
    return spool_->columns();
}

std::uint64_t SampleSink::rows() const {
    return spool_->rows();
}

void SampleSink::copy(std::size_t column, std::uint64_t first, std::span<Cell> out) const {
    spool_->copy(column, first, out);
}

}  // namespace railgauge
