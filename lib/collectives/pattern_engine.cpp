// SPDX-License-Identifier: Apache-2.0
#include "collectives/pattern_engine.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace railgauge {
namespace {

/// A part of a job within one block: its ingredients lie side by side and share a level.
struct Stretch {
    const Ingredients* ingredients;
    std::int32_t level;
    std::int32_t divisor;
    std::size_t count;
};

template <class Element>
void write_values(const Stretch& piece, void* out) {
    auto* const values = static_cast<typename Element::Stored*>(out);
    if (piece.divisor == 1) {  // 32 bits are enough, and twice as fast
        for (std::size_t i = 0; i < piece.count; ++i) {
            values[i] = Element::from_whole(piece.ingredients[i].residue +
                                            piece.level * piece.ingredients[i].weight);
        }
        return;
    }
    for (std::size_t i = 0; i < piece.count; ++i) {
        const std::int64_t whole =
            piece.ingredients[i].residue + std::int64_t{piece.level} * piece.ingredients[i].weight;
        values[i] = Element::from_whole(whole / piece.divisor);
    }
}

template <class Bits>
std::uint64_t count_different(const void* a, const void* b, std::size_t count) {
    const Bits* const left = static_cast<const Bits*>(a);
    const Bits* const right = static_cast<const Bits*>(b);
    std::uint32_t different = 0;
    for (std::size_t i = 0; i < count; ++i)
        different += left[i] != right[i] ? 1u : 0u;
    return different;
}

std::uint64_t count_different(std::size_t element_bytes, const void* a, const void* b,
                              std::size_t count) {
    // The C library's comparison is twice as fast as counting, and nearly always all there is to
    // do.
    if (std::memcmp(a, b, count * element_bytes) == 0) return 0;
    switch (element_bytes) {
        case 1: return count_different<std::uint8_t>(a, b, count);
        case 2: return count_different<std::uint16_t>(a, b, count);
        case 4: return count_different<std::uint32_t>(a, b, count);
        default: return count_different<std::uint64_t>(a, b, count);
    }
}

/// Cuts a job where levels change: use(stretch, offset in the job).
template <class Use>
void for_each_stretch(const PatternJob& job, Use use) {
    std::uint64_t done = 0;
    while (done < job.count) {
        const std::uint64_t index = job.first + done;
        const std::size_t within = index % block_elements;
        const std::size_t count =
            std::min<std::uint64_t>(block_elements - within, job.count - done);
        use(Stretch{job.table + within, job.rule.level(index / block_elements), job.divisor, count},
            done);
        done += count;
    }
}

class HostPatternEngine : public PatternEngine {
  public:
    void fill(const PatternJob& job, void* out) override {
        with_element(job.type, [&]<class Element>(Element) {
            auto* const values = static_cast<typename Element::Stored*>(out);
            for_each_stretch(job, [&](const Stretch& piece, std::uint64_t done) {
                write_values<Element>(piece, values + done);
            });
        });
    }

    std::uint64_t count_wrong(const PatternJob& job, const void* data) override {
        std::uint64_t wrong = 0;
        with_element(job.type, [&]<class Element>(Element) {
            const auto* const values = static_cast<const typename Element::Stored*>(data);
            if (job.tolerance >= 0) {
                wrong = count_wrong_elements<Element>(job, values, 0, 1);
                return;
            }
            for_each_stretch(job, [&](const Stretch& piece, std::uint64_t done) {
                write_values<Element>(piece, expected_.data());
                wrong +=
                    count_different(sizeof *values, expected_.data(), values + done, piece.count);
            });
        });
        return wrong;
    }

    void set_bytes(void* out, unsigned char value, std::size_t bytes) override {
        std::memset(out, value, bytes);
    }

  private:
    std::vector<std::uint64_t> expected_ = std::vector<std::uint64_t>(block_elements);
};

}  // namespace

std::unique_ptr<PatternEngine> make_host_pattern_engine() {
    return std::make_unique<HostPatternEngine>();
}

std::unique_ptr<PatternEngine> make_pattern_engine(const MemorySpace& memory) {
    return memory.is_host_addressable() ? make_host_pattern_engine() : make_cuda_pattern_engine();
}

}  // namespace railgauge
