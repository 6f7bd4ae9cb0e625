# SPDX-License-Identifier: Apache-2.0
# Build-wide choices. Optional dependencies: ON (required), OFF (stub), AUTO (used when found).

option(RAILGAUGE_TESTS "Build the tests" ON)
option(RAILGAUGE_WERROR "Treat warnings as errors" OFF)
set(RAILGAUGE_HWLOC AUTO CACHE STRING "hwloc: ON, OFF or AUTO")
set(RAILGAUGE_CUDA AUTO CACHE STRING "CUDA Toolkit: ON, OFF or AUTO")
set(RAILGAUGE_NCCL AUTO CACHE STRING "NCCL, which needs CUDA: ON, OFF or AUTO")
set(RAILGAUGE_VERBS AUTO CACHE STRING "RDMA verbs (libibverbs): ON, OFF or AUTO")
set(RAILGAUGE_UCX AUTO CACHE STRING "UCX: ON, OFF or AUTO")
set(RAILGAUGE_MICRO AUTO CACHE STRING "Micro benchmarks, which need Google Benchmark: ON, OFF or AUTO")
set(RAILGAUGE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize takes them")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
