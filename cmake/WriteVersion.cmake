# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DOUTPUT= -DTEMPLATE= -DPROJECT_VERSION= -P WriteVersion.cmake
# Writes version.hpp anew when the checkout's revision changed; run by every build.
set(RAILGAUGE_GIT_REVISION unknown)
find_package(Git QUIET)
if(Git_FOUND)
  execute_process(
    COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --dirty --abbrev=12
    OUTPUT_VARIABLE described
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(described)
    set(RAILGAUGE_GIT_REVISION ${described})
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
