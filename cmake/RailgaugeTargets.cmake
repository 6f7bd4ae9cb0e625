# SPDX-License-Identifier: Apache-2.0
# How a room, a rank program and a test are declared: one place for warnings, sanitizers and revision.

add_library(railgauge_settings INTERFACE)
# Open MPI's deprecated C++ bindings do not compile cleanly under modern g++.
target_compile_definitions(railgauge_settings INTERFACE OMPI_SKIP_MPICXX)
# -Wrestrict: GCC 12 sees an overlap in "a" + std::string that is none (GCC bug 105651).
# -Wmaybe-uninitialized: GCC cannot follow initialisation through sanitizer calls.
# null, vptr: address catches what they would and they double the compile time.
target_compile_options(
  railgauge_settings
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wnon-virtual-dtor>
            $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>
            $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${RAILGAUGE_WERROR}>>:-Werror>
            $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-lineinfo>)
if(RAILGAUGE_SANITIZE)
  target_compile_options(railgauge_settings INTERFACE -fsanitize=${RAILGAUGE_SANITIZE}
                                                      -fno-sanitize=null,vptr -fno-omit-frame-pointer
                                                      -fno-sanitize-recover=all -Wno-maybe-uninitialized)
  target_link_options(railgauge_settings INTERFACE -fsanitize=${RAILGAUGE_SANITIZE})
endif()

# railgauge_room(base SOURCES a.cpp b.cpp DEPENDS fmt::fmt): static library railgauge::base of lib/base.
function(railgauge_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(railgauge_${name} STATIC ${ROOM_SOURCES})
  add_library(railgauge::${name} ALIAS railgauge_${name})
  target_include_directories(railgauge_${name} PUBLIC ${PROJECT_SOURCE_DIR}/lib)
  target_link_libraries(railgauge_${name} PUBLIC railgauge_settings ${ROOM_DEPENDS})
endfunction()

# railgauge_program(collective SOURCES ... DEPENDS ...): bin/railgauge-collective.
function(railgauge_program name)
  cmake_parse_arguments(PROGRAM "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(railgauge-${name} ${PROGRAM_SOURCES})
  target_include_directories(railgauge-${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(railgauge-${name} PRIVATE railgauge::program ${PROGRAM_DEPENDS})
  install(TARGETS railgauge-${name} RUNTIME)
endfunction()

# Parallel HDF5, as Debian's and RHEL's pkg-config files or CMake's own search give it.
function(railgauge_find_parallel_hdf5)
  pkg_search_module(HDF5_MPI IMPORTED_TARGET GLOBAL hdf5-openmpi hdf5-mpi)
  if(HDF5_MPI_FOUND)
    add_library(railgauge::hdf5 ALIAS PkgConfig::HDF5_MPI)
    return()
  endif()
  set(HDF5_PREFER_PARALLEL TRUE)
  find_package(HDF5 REQUIRED COMPONENTS C)
  if(NOT HDF5_IS_PARALLEL)
    message(FATAL_ERROR "HDF5 was found without MPI (the parallel writer needs it); install libhdf5-openmpi-dev "
                        "or hdf5-openmpi-devel")
  endif()
  add_library(railgauge_hdf5 INTERFACE)
  target_include_directories(railgauge_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
  target_link_libraries(railgauge_hdf5 INTERFACE ${HDF5_LIBRARIES})
  add_library(railgauge::hdf5 ALIAS railgauge_hdf5)
endfunction()

# railgauge_find_library(UCX ucx libucx-dev): an optional library by its pkg-config file, as
# PkgConfig::UCX; sets RAILGAUGE_UCX_FOUND by the option RAILGAUGE_UCX.
macro(railgauge_find_library name module package)
  set(RAILGAUGE_${name}_FOUND FALSE)
  if(NOT RAILGAUGE_${name} STREQUAL "OFF")
    pkg_check_modules(${name} QUIET IMPORTED_TARGET ${module})
    if(${name}_FOUND)
      set(RAILGAUGE_${name}_FOUND TRUE)
    elseif(RAILGAUGE_${name} STREQUAL "ON")
      message(FATAL_ERROR "RAILGAUGE_${name} is ON but ${module} was not found; install ${package}")
    endif()
  endif()
endmacro()

# CUDA's runtime library and compiler. Sets RAILGAUGE_CUDA_FOUND and, to be called from the top, enables
# the language.
macro(railgauge_find_cuda)
  set(RAILGAUGE_CUDA_FOUND FALSE)
  if(NOT RAILGAUGE_CUDA STREQUAL "OFF")
    find_package(CUDAToolkit 12.0 QUIET)
    if(CUDAToolkit_FOUND)
      set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
      # Real code for H100, B200 and B300; PTX for what comes.
      set(CMAKE_CUDA_ARCHITECTURES 90 100-real 103-real)
      set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
      # CMake 3.25, which Debian 12 has, does not know how CUDA 13 is told C++20: kernels are C++17.
      set(CMAKE_CUDA_STANDARD 17)
      enable_language(CUDA)
      set(RAILGAUGE_CUDA_FOUND TRUE)
    elseif(RAILGAUGE_CUDA STREQUAL "ON")
      message(FATAL_ERROR "RAILGAUGE_CUDA is ON but the CUDA Toolkit was not found; install it or set "
                          "CUDAToolkit_ROOT")
    endif()
  endif()
endmacro()

# NCCL as railgauge::nccl_library. Sets RAILGAUGE_NCCL_FOUND.
macro(railgauge_find_nccl)
  set(RAILGAUGE_NCCL_FOUND FALSE)
  if(RAILGAUGE_CUDA_FOUND AND NOT RAILGAUGE_NCCL STREQUAL "OFF")
    find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    find_library(NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR})
    if(NCCL_INCLUDE_DIR AND NCCL_LIBRARY)
      file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h version_line REGEX "define NCCL_VERSION_CODE")
      string(REGEX MATCH "[0-9]+" NCCL_VERSION_CODE "${version_line}")
      if(NCCL_VERSION_CODE LESS 22800)
        message(WARNING "NCCL ${NCCL_VERSION_CODE} is older than 2.28, which has ncclAlltoAll; building without it")
      else()
        set(RAILGAUGE_NCCL_FOUND TRUE)
      endif()
    endif()
  endif()
  if(RAILGAUGE_NCCL_FOUND)
    add_library(railgauge_nccl_library INTERFACE)
    add_library(railgauge::nccl_library ALIAS railgauge_nccl_library)
    target_include_directories(railgauge_nccl_library SYSTEM INTERFACE ${NCCL_INCLUDE_DIR})
    target_link_libraries(railgauge_nccl_library INTERFACE ${NCCL_LIBRARY} CUDA::cudart)
  elseif(RAILGAUGE_NCCL STREQUAL "ON")
    message(FATAL_ERROR "RAILGAUGE_NCCL is ON but NCCL 2.28 or later was not found; install it or set "
                        "NCCL_INCLUDE_DIR and NCCL_LIBRARY")
  endif()
endmacro()

# All tests that need no MPI, for the thread sanitizer.
add_custom_target(unit_tests)

# railgauge_unit_test(sweep_test SOURCES sweep_test.cpp DEPENDS railgauge::measure): GoogleTest without MPI.
function(railgauge_unit_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE ${TEST_DEPENDS} GTest::gtest_main GTest::gmock)
  add_dependencies(unit_tests ${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 300 ENVIRONMENT "${RAILGAUGE_TEST_ENVIRONMENT}")
endfunction()

# railgauge_mpi_test(team_test SOURCES team_test.cpp DEPENDS railgauge::mpi RANKS 1 2 4)
function(railgauge_mpi_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPENDS;RANKS" ${ARGN})
  if(NOT TEST_RANKS)
    set(TEST_RANKS 1 2 4)
  endif()
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE ${TEST_DEPENDS} railgauge_mpi_test_main GTest::gtest GTest::gmock)
  foreach(ranks IN LISTS TEST_RANKS)
    add_test(NAME ${name}-np${ranks} COMMAND ${PROJECT_SOURCE_DIR}/tests/mpi/launch ${ranks}
                                             $<TARGET_FILE:${name}>)
    set_tests_properties(${name}-np${ranks} PROPERTIES LABELS mpi TIMEOUT 120 PROCESSORS 2
                                                       ENVIRONMENT "${RAILGAUGE_TEST_ENVIRONMENT}")
  endforeach()
endfunction()
