// SPDX-License-Identifier: Apache-2.0
// All streams, the default ones included, and how they wait for each other.
#pragma once

#include <memory>
#include <utility>

#include "stream.hpp"

namespace gpu_double {

// nullptr for a handle that is no living stream.
std::shared_ptr<CUstream_st> find_stream(cudaStream_t handle);
cudaStream_t add_stream(int device, CUstream_st::Kind kind, int priority);
std::shared_ptr<CUstream_st> remove_stream(cudaStream_t handle);
void synchronize_device(int device);
void synchronize_all_devices();

// Into the stream, after what its kind makes it wait for.
void enqueue(CUstream_st& stream, OperationPointer operation);

template <class Function>
class FunctionOperation : public Operation {
  public:
    explicit FunctionOperation(Function function) : function_(std::move(function)) {}
    void run() override { function_(); }

  private:
    Function function_;
};

template <class Function>
requires std::is_invocable_v<Function>
void enqueue(CUstream_st& stream, Function function) {
    OperationPointer operation = std::make_shared<FunctionOperation<Function>>(std::move(function));
    enqueue(stream, std::move(operation));
}

}  // namespace gpu_double
