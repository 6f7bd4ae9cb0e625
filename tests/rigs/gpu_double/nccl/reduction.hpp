// SPDX-License-Identifier: Apache-2.0
// The arithmetic of reductions: operands two by two in rank order, each partial result rounded to
// the element's type, as on a ring.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include <nccl.h>

namespace gpu_double {

std::size_t element_bytes(ncclDataType_t type);

using Scalar = std::array<std::byte, 8>;

// How one operation is done: scale the own part, combine by a basic operation, divide.
struct Reduction {
    ncclRedOp_t basic = ncclSum;
    std::optional<Scalar> scale;
    int divisor = 1;
};

// An average scales floats first and divides integers last, as NCCL does.
Reduction built_in(ncclRedOp_t operation, ncclDataType_t type, int ranks);

void scale(void* elements, std::size_t count, ncclDataType_t type, const Scalar& factor);
void combine(void* into, const void* elements, std::size_t count, ncclDataType_t type,
             ncclRedOp_t basic);
void divide(void* elements, std::size_t count, ncclDataType_t type, int divisor);

}  // namespace gpu_double
