// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "site/site.hpp"
#include "site/table_reader.hpp"

namespace railgauge::site {

/// A site while its file is read. A later part refers to an earlier one only if that had no
/// mistake, so that one mistake is not reported again wherever it matters.
struct Draft {
    Site site;
    std::vector<std::uint32_t> host_lines;  ///< where each of site.hosts stands
    std::size_t expanded_hosts = 0;         ///< of all groups, repeated ones included
    bool are_planes_right = false;
    bool are_rails_right = false;
    bool are_groups_right = false;
};

void read_planes(TableReader& root, Draft& draft);
void read_rails(TableReader& root, Draft& draft);
void read_groups(TableReader& root, Draft& draft);
void read_leaves(TableReader& root, Draft& draft);

/// The hosts of a pattern; reports why when there are none.
/// @param most hosts that it may mean
std::vector<std::string> expand_or_report(const Located<std::string>& pattern, std::size_t most,
                                          Mistakes& mistakes);

/// The index of the plane called `name`; reports and answers nullopt when there is none, and is
/// silent where the planes have mistakes of their own.
std::optional<int> find_plane(const Draft& draft, const std::string& name, const Place& place,
                              Mistakes& mistakes);

/// Whether `rail` exists; reports it when not, and is silent where the rails have mistakes.
bool check_rail(const Draft& draft, int rail, const Place& place, Mistakes& mistakes);

/// Names that may appear once, and the lines of those that have.
class UniqueNames {
  public:
    /// Reports `name` when it is taken; an empty one is passed over.
    void add(const std::string& name, const Place& place, Mistakes& mistakes);

  private:
    std::unordered_map<std::string, std::uint32_t> lines_;
};

}  // namespace railgauge::site
