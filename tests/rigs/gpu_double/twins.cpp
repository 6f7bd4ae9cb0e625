// SPDX-License-Identifier: Apache-2.0
// Host twins of the project's kernels (lib/collectives/kernels.cu): the same bodies, run by one
// thread. The double finds them by the kernel's name.
#include <chrono>
#include <thread>

#include "collectives/pattern_job.hpp"
#include "gpu_double.hpp"

namespace {

using railgauge::PatternJob;

template <class T>
T argument(void** arguments, int index) {
    return *static_cast<T*>(arguments[index]);
}

/// A job whose table the host can read.
PatternJob host_job(void** arguments) {
    auto job = argument<PatternJob>(arguments, 0);
    job.table = static_cast<const railgauge::Ingredients*>(gpu_double_host_address(job.table));
    return job;
}

}  // namespace

extern "C" {

extern const unsigned gpu_double_sizes_railgauge_fill[];
const unsigned gpu_double_sizes_railgauge_fill[] = {sizeof(PatternJob), sizeof(void*), 0};

void gpu_double_twin_railgauge_fill(const dim3* /*grid*/, const dim3* /*block*/, void** arguments) {
    const PatternJob job = host_job(arguments);
    void* const out = gpu_double_host_address(argument<void*>(arguments, 1));
    if (job.table == nullptr || out == nullptr) return;  // the double has said so
    railgauge::with_element(job.type, [&]<class Element>(Element) {
        railgauge::fill_elements<Element>(job, static_cast<typename Element::Stored*>(out), 0, 1);
    });
}

extern const unsigned gpu_double_sizes_railgauge_verify[];
const unsigned gpu_double_sizes_railgauge_verify[] = {sizeof(PatternJob), sizeof(void*),
                                                      sizeof(void*), 0};

void gpu_double_twin_railgauge_verify(const dim3* /*grid*/, const dim3* /*block*/,
                                      void** arguments) {
    const PatternJob job = host_job(arguments);
    const void* const data = gpu_double_host_address(argument<const void*>(arguments, 1));
    auto* const wrong =
        static_cast<unsigned long long*>(gpu_double_host_address(argument<void*>(arguments, 2)));
    if (job.table == nullptr || data == nullptr || wrong == nullptr) return;
    railgauge::with_element(job.type, [&]<class Element>(Element) {
        *wrong += railgauge::count_wrong_elements<Element>(
            job, static_cast<const typename Element::Stored*>(data), 0, 1);
    });
}

extern const unsigned gpu_double_sizes_railgauge_delay[];
const unsigned gpu_double_sizes_railgauge_delay[] = {sizeof(unsigned long long), 0};

void gpu_double_twin_railgauge_delay(const dim3* /*grid*/, const dim3* /*block*/,
                                     void** arguments) {
    std::this_thread::sleep_for(
        std::chrono::nanoseconds(argument<unsigned long long>(arguments, 0)));
}
}
