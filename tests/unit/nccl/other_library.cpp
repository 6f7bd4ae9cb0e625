// SPDX-License-Identifier: Apache-2.0
// A plugin of another version, as far as the programs can tell.
extern "C" __attribute__((visibility("default"))) int railgauge_profiler_version() {
    return -1;
}
