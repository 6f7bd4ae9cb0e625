// SPDX-License-Identifier: Apache-2.0
#include "reduction.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace gpu_double {
namespace {

template <class T>
struct Tag {
    using Type = T;
};

template <class Function>
auto with_type(ncclDataType_t type, Function function) {
    switch (type) {
        case ncclInt8: return function(Tag<std::int8_t>{});
        case ncclUint8: return function(Tag<std::uint8_t>{});
        case ncclInt32: return function(Tag<std::int32_t>{});
        case ncclUint32: return function(Tag<std::uint32_t>{});
        case ncclInt64: return function(Tag<std::int64_t>{});
        case ncclUint64: return function(Tag<std::uint64_t>{});
        case ncclFloat16: return function(Tag<__half>{});
        case ncclFloat32: return function(Tag<float>{});
        case ncclFloat64: return function(Tag<double>{});
        case ncclBfloat16: return function(Tag<__nv_bfloat16>{});
        case ncclFloat8e4m3: return function(Tag<__nv_fp8_e4m3>{});
        default: return function(Tag<__nv_fp8_e5m2>{});
    }
}

// Small floats are computed in float; integers wrap as on the GPU.
template <class T>
constexpr bool is_small_float = !std::is_arithmetic_v<T>;

template <class T>
auto widen(T value) {
    if constexpr (is_small_float<T>) {
        return static_cast<float>(value);
    } else {
        return value;
    }
}

template <class T>
T sum(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    } else {
        return static_cast<T>(widen(a) + widen(b));
    }
}

template <class T>
T product(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    } else {
        return static_cast<T>(widen(a) * widen(b));
    }
}

template <class T>
T larger(T a, T b) {
    return widen(a) < widen(b) ? b : a;
}

template <class T>
T smaller(T a, T b) {
    return widen(b) < widen(a) ? b : a;
}

template <class T>
void fold(T* into, const T* elements, std::size_t count, T (*operation)(T, T)) {
    for (std::size_t i = 0; i < count; ++i)
        into[i] = operation(into[i], elements[i]);
}

template <class T>
auto basic_operation(ncclRedOp_t basic) {
    switch (basic) {
        case ncclProd: return &product<T>;
        case ncclMax: return &larger<T>;
        case ncclMin: return &smaller<T>;
        default: return &sum<T>;
    }
}

}  // namespace

std::size_t element_bytes(ncclDataType_t type) {
    return with_type(type, [](auto tag) { return sizeof(typename decltype(tag)::Type); });
}

Reduction built_in(ncclRedOp_t operation, ncclDataType_t type, int ranks) {
    if (operation != ncclAvg) return {operation, std::nullopt, 1};
    return with_type(type, [ranks](auto tag) -> Reduction {
        using T = typename decltype(tag)::Type;
        if constexpr (std::is_integral_v<T>) {
            return {ncclSum, std::nullopt, ranks};
        } else {
            using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
            const T part = static_cast<T>(Wide{1} / static_cast<Wide>(ranks));
            Scalar factor{};
            std::memcpy(factor.data(), &part, sizeof part);
            return {ncclSum, factor, 1};
        }
    });
}

void scale(void* elements, std::size_t count, ncclDataType_t type, const Scalar& factor) {
    with_type(type, [=](auto tag) {
        using T = typename decltype(tag)::Type;
        T multiplier;
        std::memcpy(&multiplier, factor.data(), sizeof multiplier);
        auto* values = static_cast<T*>(elements);
        for (std::size_t i = 0; i < count; ++i)
            values[i] = product<T>(values[i], multiplier);
    });
}

void combine(void* into, const void* elements, std::size_t count, ncclDataType_t type,
             ncclRedOp_t basic) {
    with_type(type, [=](auto tag) {
        using T = typename decltype(tag)::Type;
        fold(static_cast<T*>(into), static_cast<const T*>(elements), count,
             basic_operation<T>(basic));
    });
}

void divide(void* elements, std::size_t count, ncclDataType_t type, int divisor) {
    with_type(type, [=](auto tag) {
        using T = typename decltype(tag)::Type;
        if constexpr (std::is_integral_v<T>) {
            auto* values = static_cast<T*>(elements);
            for (std::size_t i = 0; i < count; ++i)
                values[i] = std::is_signed_v<T>
                                ? static_cast<T>(static_cast<std::int64_t>(values[i]) / divisor)
                                : static_cast<T>(static_cast<std::uint64_t>(values[i]) /
                                                 static_cast<std::uint64_t>(divisor));
        }
    });
}

}  // namespace gpu_double
