// SPDX-License-Identifier: Apache-2.0
#include "base/replace_file.hpp"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

#include "base/file_descriptor.hpp"

namespace railgauge {
namespace {

bool write_whole(int descriptor, const std::string& text) {
    std::size_t written = 0;
    while (written < text.size()) {
        const ssize_t some = ::write(descriptor, text.data() + written, text.size() - written);
        if (some < 0 && errno != EINTR) return false;
        if (some > 0) written += static_cast<std::size_t>(some);
    }
    return true;
}

}  // namespace

bool replace_file(const std::filesystem::path& path, const std::string& text, unsigned mode) {
    const std::string draft = path.string() + ".tmp";
    ::unlink(draft.c_str());  // of a killed process
    const FileDescriptor file(
        ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
    if (!file) return false;
    if (write_whole(file.get(), text) && ::rename(draft.c_str(), path.c_str()) == 0) return true;
    const int reason = errno;
    ::unlink(draft.c_str());
    errno = reason;
    return false;
}

}  // namespace railgauge
