// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "site/site.hpp"

namespace railgauge {

/// A site, or all that is wrong with its file.
struct SiteReading {
    std::optional<Site> site;
    std::vector<std::string> mistakes;  ///< one line each, ordered by line; empty = there is a site
};

/// As parse_site, for those who want every mistake at once.
SiteReading read_site(std::string_view text, const std::string& file_name);

}  // namespace railgauge
