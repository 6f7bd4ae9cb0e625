// SPDX-License-Identifier: Apache-2.0
// The project's kernels, all of them. Names are plain, so that a test double can find a host twin for
// each by its name (tests/rigs/gpu_double).
#include "collectives/kernels.hpp"

#include "cuda/check.hpp"

namespace {

using namespace railgauge;

constexpr unsigned threads_per_block = 256;
constexpr unsigned most_blocks = 1024;

__device__ std::uint64_t own_index() {
    return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

__device__ std::uint64_t all_threads() {
    return std::uint64_t{gridDim.x} * blockDim.x;
}

/// As with_element, which throws and so cannot be called here.
template <class Use>
__device__ void with_device_element(DataType type, Use use) {
    switch (type) {
        case DataType::int8: return use(NativeElement<std::int8_t>{});
        case DataType::bytes:
        case DataType::uint8: return use(NativeElement<std::uint8_t>{});
        case DataType::int32: return use(NativeElement<std::int32_t>{});
        case DataType::uint32: return use(NativeElement<std::uint32_t>{});
        case DataType::int64: return use(NativeElement<std::int64_t>{});
        case DataType::uint64: return use(NativeElement<std::uint64_t>{});
        case DataType::float16: return use(Float16{});
        case DataType::bfloat16: return use(BFloat16{});
        case DataType::float32: return use(NativeElement<float>{});
        case DataType::float64: return use(NativeElement<double>{});
        case DataType::float8e4m3: return use(Float8E4M3{});
        case DataType::float8e5m2: return use(Float8E5M2{});
    }
    __trap();
}

unsigned blocks_for(std::uint64_t count) {
    const std::uint64_t needed = (count + threads_per_block - 1) / threads_per_block;
    return static_cast<unsigned>(needed < 1 ? 1 : needed > most_blocks ? most_blocks : needed);
}

}  // namespace

extern "C" __global__ void railgauge_fill(PatternJob job, void* out) {
    with_device_element(job.type, [&](auto element) {
        using Element = decltype(element);
        fill_elements<Element>(job, static_cast<typename Element::Stored*>(out), own_index(),
                               all_threads());
    });
}

extern "C" __global__ void railgauge_verify(PatternJob job, const void* data,
                                            unsigned long long* wrong) {
    with_device_element(job.type, [&](auto element) {
        using Element = decltype(element);
        const auto* values = static_cast<const typename Element::Stored*>(data);
        const std::uint64_t own =
            count_wrong_elements<Element>(job, values, own_index(), all_threads());
        if (own != 0) atomicAdd(wrong, static_cast<unsigned long long>(own));
    });
}

extern "C" __global__ void railgauge_delay(unsigned long long ns) {
    unsigned long long begin = 0;
    unsigned long long now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < ns);
}

namespace railgauge {
namespace {

/// By the launch's own result: the thread's last error may be an older one, for example that a
/// stream which was asked was not ready.
template <class... Arguments>
void launch(void (*kernel)(Arguments...), unsigned blocks, unsigned threads, cudaStream_t stream,
            const char* doing, Arguments... arguments) {
    void* pointers[] = {&arguments...};
    check_cuda(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(threads),
                                pointers, 0, stream),
               doing);
}

}  // namespace

void launch_fill(const PatternJob& job, void* out, cudaStream_t stream) {
    launch(&railgauge_fill, blocks_for(job.count), threads_per_block, stream,
           "launching the fill kernel", job, out);
}

void launch_verify(const PatternJob& job, const void* data, unsigned long long* wrong,
                   cudaStream_t stream) {
    launch(&railgauge_verify, blocks_for(job.count), threads_per_block, stream,
           "launching the verify kernel", job, data, wrong);
}

void launch_delay(std::uint64_t ns, cudaStream_t stream) {
    launch(&railgauge_delay, 1, 1, stream, "launching the delay kernel",
           static_cast<unsigned long long>(ns));
}

}  // namespace railgauge
