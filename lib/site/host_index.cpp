// SPDX-License-Identifier: Apache-2.0
#include "site/host_index.hpp"

#include <algorithm>

namespace railgauge {
namespace {

/// ASCII only: DNS folds no other letters.
std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return result;
}

std::string short_name_of(const std::string& name) {
    return name.substr(0, name.find('.'));
}

}  // namespace

std::optional<int> HostIndex::add(std::string_view name) {
    const std::string key = lower(name);
    const std::string short_name = short_name_of(key);
    if (const auto same = by_name_.find(key); same != by_name_.end()) return same->second;
    if (const auto bare = by_name_.find(short_name); bare != by_name_.end()) return bare->second;
    const auto [namesakes, is_new] = by_short_name_.try_emplace(short_name, Namesakes{size_, 0});
    if (!is_new && key == short_name) return namesakes->second.first;
    ++namesakes->second.count;
    by_name_.emplace(key, size_++);
    return std::nullopt;
}

std::optional<int> HostIndex::find(std::string_view name) const {
    const std::string key = lower(name);
    if (const auto same = by_name_.find(key); same != by_name_.end()) return same->second;
    const std::string short_name = short_name_of(key);
    if (key != short_name) {
        const auto bare = by_name_.find(short_name);
        return bare == by_name_.end() ? std::nullopt : std::optional(bare->second);
    }
    const auto namesakes = by_short_name_.find(short_name);
    if (namesakes == by_short_name_.end() || namesakes->second.count != 1) return std::nullopt;
    return namesakes->second.first;
}

}  // namespace railgauge
