// SPDX-License-Identifier: Apache-2.0
#include "ucx/log.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

#include <ucs/debug/log_def.h>

#include "base/log.hpp"

namespace railgauge {
namespace {

thread_local UcxHush* innermost = nullptr;

ucs_log_func_rc_t pass_on(const char* /*file*/, unsigned /*line*/, const char* /*function*/,
                          ucs_log_level_t level, const ucs_log_component_config_t* /*component*/,
                          const char* format, va_list arguments) {
    static const bool has_file = std::getenv("UCX_LOG_FILE") != nullptr;
    std::array<char, 1024> text{};
    va_list copy;
    va_copy(copy, arguments);
    std::vsnprintf(text.data(), text.size(), format, copy);
    va_end(copy);
    if (innermost != nullptr && level <= UCS_LOG_LEVEL_WARN) {
        innermost->note(text.data());
        return UCS_LOG_FUNC_RC_STOP;
    }
    if (has_file) return UCS_LOG_FUNC_RC_CONTINUE;
    log_here("UCX: {}", text.data());
    return UCS_LOG_FUNC_RC_STOP;
}

}  // namespace

void take_over_ucx_log() {
    static std::once_flag once;
    std::call_once(once, [] { ucs_log_push_handler(&pass_on); });
}

UcxHush::UcxHush() : outer_(std::exchange(innermost, this)) {}

UcxHush::~UcxHush() {
    innermost = outer_;
}

void UcxHush::note(const std::string& message) {
    constexpr std::size_t most_bytes = 2000;
    if (said_.size() + message.size() > most_bytes) return;
    said_ += (said_.empty() ? "" : "; ") + message;
}

std::string UcxHush::words() const {
    return said_.empty() ? "" : ": " + said_;
}

void UcxHush::show() {
    if (!said_.empty()) log_here("UCX: {}", said_);
    said_.clear();
}

}  // namespace railgauge
