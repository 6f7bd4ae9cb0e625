// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "collectives/data_type.hpp"

namespace railgauge {

/// An element type of C++.
template <class T>
struct NativeElement {
    using Stored = T;
    static constexpr T from_whole(std::int64_t value) { return static_cast<T>(value); }
    static constexpr double to_double(T stored) { return static_cast<double>(stored); }
    static constexpr bool same_bits(T a, T b) {
        using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        if constexpr (std::is_floating_point_v<T>)
            return __builtin_bit_cast(Bits, a) == __builtin_bit_cast(Bits, b);
        else
            return a == b;
    }
};

/// 2 to the power, which need not be positive.
constexpr double power_of_two(int power) {
    double value = 1;
    for (; power > 0; --power)
        value *= 2;
    for (; power < 0; ++power)
        value /= 2;
    return value;
}

/// A floating type that C++20 has none of, as its bits: sign, exponent, mantissa as in IEEE 754.
// NOLINTNEXTLINE(readability-identifier-naming): values are written as values
template <class Bits, int exponent_bits, int mantissa_bits>
struct SmallFloat {
    using Stored = Bits;

    static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    static constexpr unsigned mantissa_mask = (1u << mantissa_bits) - 1;
    static constexpr unsigned exponent_mask = (1u << exponent_bits) - 1;

    /// @param value exact in this type
    static constexpr Bits from_whole(std::int64_t value) {
        if (value == 0) return 0;
        auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
        unsigned exponent = bias + mantissa_bits;
        for (; magnitude >> (mantissa_bits + 1) != 0; magnitude >>= 1)
            ++exponent;
        for (; magnitude >> mantissa_bits == 0; magnitude <<= 1)
            --exponent;
        const unsigned sign = value < 0 ? 1 : 0;
        return static_cast<Bits>(sign << (exponent_bits + mantissa_bits) |
                                 exponent << mantissa_bits |
                                 (static_cast<unsigned>(magnitude) & mantissa_mask));
    }

    /// NaN for the bits of infinities and NaNs; of e4m3's top exponent only all ones are one.
    static constexpr double to_double(Bits stored) {
        const unsigned mantissa = stored & mantissa_mask;
        const unsigned exponent = (stored >> mantissa_bits) & exponent_mask;
        const bool has_finite_top = exponent_bits == 4;
        if (exponent == exponent_mask && (!has_finite_top || mantissa == mantissa_mask))
            return std::numeric_limits<double>::quiet_NaN();
        const double whole = exponent == 0 ? mantissa : mantissa + (1u << mantissa_bits);
        const int power = static_cast<int>(exponent == 0 ? 1 : exponent) - bias - mantissa_bits;
        const double value = whole * power_of_two(power);
        return stored >> (exponent_bits + mantissa_bits) != 0 ? -value : value;
    }

    static constexpr bool same_bits(Bits a, Bits b) { return a == b; }
};

using Float16 = SmallFloat<std::uint16_t, 5, 10>;
using BFloat16 = SmallFloat<std::uint16_t, 8, 7>;
using Float8E4M3 = SmallFloat<std::uint8_t, 4, 3>;
using Float8E5M2 = SmallFloat<std::uint8_t, 5, 2>;

/// Calls use(an element struct of the type).
template <class Use>
decltype(auto) with_element(DataType type, Use use) {
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
    throw std::logic_error("an element type has no layout");
}

}  // namespace railgauge
