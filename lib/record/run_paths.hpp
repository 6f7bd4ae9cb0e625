// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace railgauge {

/// Names of a run's files, and of a case's groups in them (docs/run-file.md).
class RunPaths {
  public:
    explicit RunPaths(std::filesystem::path out) : out_(std::move(out)) {}

    const std::filesystem::path& out() const noexcept { return out_; }
    std::filesystem::path folder() const { return out_.native() + ".parts"; }
    std::filesystem::path header() const { return folder() / header_name; }
    std::filesystem::path part(int case_id) const;
    std::filesystem::path expired_report() const { return folder() / expired_name; }
    std::filesystem::path lock() const { return folder() / "lock"; }

    /// Files here become part of the run (record/archive.hpp).
    std::filesystem::path archive() const { return folder() / "archive"; }

    /// Makes the folder that the run lies in. Failures show when something is written there.
    void make_parent() const;

    /// Where ranks find the board of deadlines, before there is a folder.
    std::filesystem::path board() const { return out_.native() + ".board"; }

    static constexpr std::string_view header_name = "header.h5";
    static constexpr std::string_view expired_name = "expired.json";

  private:
    std::filesystem::path out_;
};

/// Behind the name of a file that is still being written.
inline constexpr std::string_view unfinished_suffix = ".tmp";

/// "0007", "12345"
std::string case_group(int case_id);

/// The case of a part's file name ("0007.h5"); nothing when it is not one.
std::optional<int> case_of_part(std::string_view file_name);

/// A node's group name: its host with '/' as "%2F".
std::string node_group(const std::string& host);

}  // namespace railgauge
