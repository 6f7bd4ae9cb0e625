// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace railgauge {

/// Host names and their numbers, found by short name or with their domain, in any case (RFC 4343).
///
/// "gpu01" and "gpu01.example" mean the same node; "gpu01.a" and "gpu01.b" are two.
class HostIndex {
  public:
    /// Adds `name` as number `size()`. @return the number of a host that `name` may also mean; it
    /// is then not added
    std::optional<int> add(std::string_view name);

    /// The number of the host that `name` means; none when there is none, or more than one.
    std::optional<int> find(std::string_view name) const;

    int size() const { return size_; }

  private:
    struct Namesakes {
        int first;
        int count;
    };

    std::unordered_map<std::string, int> by_name_;
    std::unordered_map<std::string, Namesakes> by_short_name_;
    int size_ = 0;
};

}  // namespace railgauge
