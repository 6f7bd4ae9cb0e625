// SPDX-License-Identifier: Apache-2.0
#include "use_table.hpp"

#include <algorithm>
#include <cstring>

namespace railgauge::nccl_profiler {
namespace {

using Name = char[profiler_name_bytes];

/// The rest of `to` must be zero, so that equal names are equal in every byte.
void copy_name(Name& to, const char* from) {
    if (from == nullptr) return;
    for (std::size_t i = 0; i + 1 < profiler_name_bytes && from[i] != '\0'; ++i) {
        const bool printable = from[i] >= ' ' && from[i] <= '~';
        to[i] = printable ? from[i] : '?';
    }
}

ProfilerUse use_of(const Sighting& sighting) {
    ProfilerUse use{};
    copy_name(use.operation, sighting.operation);
    copy_name(use.algorithm, sighting.algorithm);
    copy_name(use.protocol, sighting.protocol);
    copy_name(use.datatype, sighting.datatype);
    use.times = 1;
    use.fewest_elements = sighting.elements;
    use.most_elements = sighting.elements;
    use.channels = sighting.channels;
    return use;
}

bool equal(const Name& a, const Name& b) {
    return std::memcmp(a, b, profiler_name_bytes) == 0;
}

bool same_way(const ProfilerUse& a, const ProfilerUse& b) {
    return a.channels == b.channels && equal(a.operation, b.operation) &&
           equal(a.algorithm, b.algorithm) && equal(a.protocol, b.protocol);
}

void add(ProfilerUse& to, const ProfilerUse& use) {
    to.times += use.times;
    to.fewest_elements = std::min(to.fewest_elements, use.fewest_elements);
    to.most_elements = std::max(to.most_elements, use.most_elements);
    if (equal(to.datatype, use.datatype)) return;
    std::memset(to.datatype, 0, profiler_name_bytes);
    copy_name(to.datatype, profiler_mixed);
}

ProfilerUse more(std::uint64_t times) {
    ProfilerUse use{};
    copy_name(use.operation, profiler_more);
    use.times = times;
    return use;
}

}  // namespace

void UseTable::note(const Sighting& sighting) noexcept {
    const ProfilerUse use = use_of(sighting);
    const std::scoped_lock lock(mutex_);
    const auto end = uses_.begin() + static_cast<std::ptrdiff_t>(used_);
    const auto known =
        std::find_if(uses_.begin(), end, [&](const auto& seen) { return same_way(seen, use); });
    if (known != end) {
        add(*known, use);
    } else if (used_ < capacity) {
        uses_[used_++] = use;
    } else {
        ++not_kept_;
    }
}

void UseTable::reset() noexcept {
    const std::scoped_lock lock(mutex_);
    used_ = 0;
    not_kept_ = 0;
}

int UseTable::read(ProfilerUse* out, int most) const noexcept {
    const std::scoped_lock lock(mutex_);
    const std::size_t total = used_ + (not_kept_ > 0 ? 1 : 0);
    const std::size_t room = out == nullptr || most < 0 ? 0 : static_cast<std::size_t>(most);
    std::copy_n(uses_.begin(), std::min(used_, room), out);
    if (total > used_ && room >= total) out[used_] = more(not_kept_);
    return static_cast<int>(total);
}

}  // namespace railgauge::nccl_profiler
