// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace railgauge {

/// Whether a variable may be recorded: it belongs to a library whose behaviour it changes (NCCL_*,
/// UCX_*, OMPI_MCA_*, ...) and its name does not look like a secret.
bool may_record_variable(std::string_view name);

/// The recordable part of this process' environment; never the whole of it.
std::map<std::string, std::string> recordable_environment();

}  // namespace railgauge
