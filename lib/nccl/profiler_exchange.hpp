// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// What the profiler plugin and the program that loads it agree on. Both come from one build; the
/// version guards against a plugin of another one.
namespace railgauge {

inline constexpr int profiler_exchange_version = 1;
inline constexpr std::size_t profiler_name_bytes = 32;

/// One way NCCL ran an operation. Names end in a NUL; longer ones are cut.
struct ProfilerUse {
    char operation[profiler_name_bytes];
    char algorithm[profiler_name_bytes];
    char protocol[profiler_name_bytes];
    char datatype[profiler_name_bytes];
    std::uint64_t times;
    std::uint64_t fewest_elements;
    std::uint64_t most_elements;
    std::uint32_t channels;
};

/// The operation of the last entry when there were more distinct uses than are kept; its `times`
/// counts the events that are not in the entries before it.
inline constexpr char profiler_more[] = "more";
/// The datatype of an entry that was seen with several.
inline constexpr char profiler_mixed[] = "mixed";

/// int railgauge_profiler_version(): profiler_exchange_version of the plugin's build.
using ProfilerVersion = int (*)();
/// void railgauge_profiler_set_active(int): non-zero asks NCCL for events, zero for none.
using ProfilerSetActive = void (*)(int);
/// void railgauge_profiler_reset(): forgets what was seen.
using ProfilerReset = void (*)();
/// int railgauge_profiler_read(ProfilerUse[], int most): writes at most `most` entries and returns
/// how many there are.
using ProfilerRead = int (*)(ProfilerUse*, int);

}  // namespace railgauge
