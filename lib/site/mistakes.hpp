// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge::site {

/// Where in the file something stands.
struct Place {
    std::uint32_t line = 1;
    std::string key;  ///< "rails[1].plane", entries counted from 0; empty = the file as a whole
};

/// The mistakes of one site file. Reading goes on after each, so that all can be shown at once.
class Mistakes {
  public:
    explicit Mistakes(const std::string& file_name);

    void add(const Place& place, const std::string& problem, const std::string& why,
             const std::string& remedy);

    std::size_t count() const { return count_; }

    /// "<file>:<line>: <key>: <problem> (<why>); <remedy>", ordered by line; at most 100, then a
    /// line that says how many more there are.
    std::vector<std::string> lines() const;

  private:
    struct Mistake {
        std::uint32_t line;
        std::string text;
    };

    std::string file_name_;
    std::vector<Mistake> kept_;
    std::size_t count_ = 0;
};

/// `'text'` as a message can carry it: without control characters, and shortened.
std::string quoted(std::string_view text);

}  // namespace railgauge::site
