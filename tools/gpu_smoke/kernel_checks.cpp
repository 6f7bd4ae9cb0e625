// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include "checks.hpp"
#include "collective/pattern.hpp"
#include "collectives/kernels.hpp"
#include "cuda/handles.hpp"
#include "measure/clock.hpp"
#include "memory/cuda.hpp"

namespace railgauge::smoke {
namespace {

constexpr int ranks = 4;
/// Neither a multiple of a block of threads nor of a block of the pattern.
constexpr std::size_t elements = 1'000'003;
constexpr std::size_t corrupted = 37;

struct Engines {
    std::unique_ptr<MemorySpace> space = make_cuda_memory();
    std::unique_ptr<PatternEngine> host = make_host_pattern_engine();
    std::unique_ptr<PatternEngine> gpu = make_cuda_pattern_engine();
};

/// One pattern of one type, on the GPU and on the host.
class Comparison {
  public:
    Comparison(Engines& engines, DataType type, ReduceOperation reduce)
        : space_(*engines.space),
          on_gpu_(*engines.gpu, type, reduce, ranks),
          on_host_(*engines.host, type, reduce, ranks),
          range_{reduce == ReduceOperation::none ? 1 : reduced_over_ranks, 5, 17, elements},
          element_bytes_(size_of(type)),
          memory_(space_.allocate(elements * element_bytes_)),
          values_(memory_.size()) {}

    /// What differs; empty when nothing does.
    std::string run() {
        on_gpu_.write(range_, memory_.data());
        std::vector<std::byte> from_gpu(memory_.size());
        space_.read(memory_.data(), from_gpu);
        on_host_.write(range_, values_.data());
        if (from_gpu != values_) return "the fill kernel writes other elements than the host";
        // An average of a floating type is filled with whole numbers, which may be wrong ones.
        std::string before = compare_counts();
        if (!before.empty()) return before;
        const std::uint64_t wrong_before = counted_;
        for (std::size_t i = 0; i < corrupted; ++i)
            corrupt(i * (elements - 1) / (corrupted - 1));
        space_.write(memory_.data(), values_);
        std::string after = compare_counts();
        if (!after.empty() || wrong_before != 0) return after;
        if (counted_ == corrupted) return {};
        return fmt::format("{} of {} corrupted elements were found", counted_, corrupted);
    }

  private:
    void corrupt(std::size_t element) {
        for (std::size_t i = 0; i < element_bytes_; ++i)
            values_[element * element_bytes_ + i] ^= std::byte{0xff};
    }

    std::string compare_counts() {
        counted_ = on_gpu_.count_wrong(range_, memory_.data());
        const std::uint64_t expected = on_host_.count_wrong(range_, values_.data());
        if (counted_ == expected) return {};
        return fmt::format("the verify kernel counts {} wrong elements, the host {}", counted_,
                           expected);
    }

    MemorySpace& space_;
    Pattern on_gpu_;
    Pattern on_host_;
    ElementRange range_;
    std::size_t element_bytes_;
    Buffer memory_;
    std::vector<std::byte> values_;
    std::uint64_t counted_ = 0;
};

Row check_type(Engines& engines, DataType type) {
    using enum ReduceOperation;
    std::vector<ReduceOperation> reductions{none};
    if (row_of(type).kind != NumberKind::none)
        reductions.insert(reductions.end(), {sum, prod, min, max, avg, mulsum});
    const std::string name = fmt::format("kernels: {}", to_text(type));
    for (const ReduceOperation reduce : reductions) {
        const std::string difference = Comparison(engines, type, reduce).run();
        if (!difference.empty()) {
            return {name, Outcome::fail, "-",
                    fmt::format("pattern of {}: {}", to_text(reduce), difference)};
        }
    }
    return {name, Outcome::pass, fmt::format("{} of {} corrupted found", corrupted, corrupted),
            fmt::format("{} patterns, as the host's", reductions.size())};
}

struct DelayTimes {
    double asked_ns;
    double event_ns;
    double host_ns;
};

DelayTimes time_delay(std::uint64_t ns, cudaStream_t stream) {
    const CudaEvent begin = make_event();
    const CudaEvent end = make_event();
    const std::int64_t start_ns = monotonic_now_ns();
    check_cuda(cudaEventRecord(begin.get(), stream), "recording a CUDA event");
    launch_delay(ns, stream);
    check_cuda(cudaEventRecord(end.get(), stream), "recording a CUDA event");
    check_cuda(cudaStreamSynchronize(stream), "the delay kernel");
    const std::int64_t host_ns = monotonic_now_ns() - start_ns;
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()),
               "reading the time between two CUDA events");
    return {static_cast<double>(ns), double{milliseconds} * 1e6, static_cast<double>(host_ns)};
}

Row check_delay(std::uint64_t ns) {
    const CudaStream stream = make_stream();
    time_delay(ns, stream.get());  // loads the kernel
    const DelayTimes times = time_delay(ns, stream.get());
    const double of_host = times.event_ns / times.host_ns;
    const double of_asked = times.event_ns / times.asked_ns;
    const bool is_good = of_host > 0.95 && of_host < 1.05 && of_asked > 0.99 && of_asked < 1.2;
    return judged(fmt::format("delay kernel: {} ms", ns / 1'000'000), is_good,
                  fmt::format("events/host {:.4f}, /asked {:.4f}", of_host, of_asked),
                  "good: 0.95..1.05 and 0.99..1.2");
}

}  // namespace

std::vector<Row> check_kernels() {
    Engines engines;
    std::vector<Row> rows;
    for (const std::string& name : data_type_names()) {
        const DataType type = parse_data_type(name);
        rows.push_back(guarded("kernels: " + name, [&] { return check_type(engines, type); }));
    }
    for (const std::uint64_t ns : {5'000'000u, 50'000'000u})
        rows.push_back(guarded("delay kernel", [&] { return check_delay(ns); }));
    return rows;
}

}  // namespace railgauge::smoke
