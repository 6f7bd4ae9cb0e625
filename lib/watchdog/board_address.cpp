// SPDX-License-Identifier: Apache-2.0
#include "watchdog/board_address.hpp"

#include <charconv>
#include <cstdlib>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "base/replace_file.hpp"

namespace railgauge::board {
namespace {

using nlohmann::json;

constexpr std::size_t most_text_bytes = 4096;

std::string to_hex(const Token& token) {
    std::string text;
    for (const std::uint8_t byte : token) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

std::optional<Token> parse_token(const std::string& text) {
    Token token{};
    if (text.size() != 2 * token.size()) return std::nullopt;
    for (std::size_t i = 0; i < token.size(); ++i) {
        const char* begin = text.data() + 2 * i;
        if (std::from_chars(begin, begin + 2, token[i], 16).ptr != begin + 2) return std::nullopt;
    }
    return token;
}

bool is_loopback(const std::string& address) {
    return address.rfind("127.", 0) == 0 || address == "::1";
}

/// @throws json::exception on missing or mistyped members
std::optional<BoardAddress> read(const json& object) {
    BoardAddress address;
    address.addresses = object.at("addresses").get<std::vector<std::string>>();
    const auto port = object.at("port").get<std::int64_t>();
    const auto token = parse_token(object.at("token").get<std::string>());
    address.job = object.at("job").get<std::string>();
    address.host = object.at("host").get<std::string>();
    const std::size_t count = address.addresses.size();
    if (port < 1 || port > 65535 || !token || count < 1 || count > most_addresses) {
        return std::nullopt;
    }
    address.port = static_cast<std::uint16_t>(port);
    address.token = *token;
    return address;
}

/// Nothing when `path` is no regular file, or too large to hold an address. Never waits.
std::optional<std::string> read_address_file(const std::filesystem::path& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
        return std::nullopt;
    }
    std::string text(most_text_bytes + 1, '\0');
    const ssize_t got = ::read(file.get(), text.data(), text.size());
    if (got < 0 || static_cast<std::size_t>(got) > most_text_bytes) return std::nullopt;
    text.resize(static_cast<std::size_t>(got));
    return text;
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

}  // namespace

Token make_token() {
    Token token{};
    // At most 256 bytes are never cut short; only before the kernel has any randomness this waits.
    const auto got = ::getrandom(token.data(), token.size(), 0);
    check_errno(got == static_cast<ssize_t>(token.size()) ? 0 : -1, "reading random numbers from",
                "getrandom");
    return token;
}

std::string to_text(const BoardAddress& address) {
    const json object = {{"addresses", address.addresses},
                         {"port", address.port},
                         {"token", to_hex(address.token)},
                         {"job", address.job},
                         {"host", address.host}};
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<BoardAddress> parse_board_address(const std::string& text) {
    if (text.size() > most_text_bytes) return std::nullopt;
    try {
        return read(json::parse(text));
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

std::vector<std::string> addresses_for(const BoardAddress& address, const std::string& host) {
    std::vector<std::string> usable;
    const bool same_host = host == address.host;
    for (const std::string& candidate : address.addresses) {
        if (same_host || !is_loopback(candidate)) usable.push_back(candidate);
    }
    // A job on loopback interfaces only: its nodes have nothing else to try.
    return usable.empty() ? address.addresses : usable;
}

bool Rendezvous::publish(const BoardAddress& address) {
    if (path_.empty()) return false;
    published_ = to_text(address);
    return replace_file(path_, published_, 0600);
}

std::optional<BoardAddress> Rendezvous::find(const std::string& job) const {
    if (path_.empty()) return std::nullopt;
    const auto text = read_address_file(path_);
    if (!text) return std::nullopt;
    auto address = parse_board_address(*text);
    if (address && address->job != job) return std::nullopt;
    return address;
}

void Rendezvous::withdraw() noexcept {
    if (published_.empty()) return;
    if (read_address_file(path_) == published_) ::unlink(path_.c_str());
    published_.clear();
}

std::string launcher_job() {
    const std::string space = environment("PMIX_NAMESPACE");
    if (!space.empty()) return "pmix:" + space;
    const std::string job = environment("SLURM_JOB_ID");
    if (!job.empty()) return "slurm:" + job + "." + environment("SLURM_STEP_ID");
    return "";
}

}  // namespace railgauge::board
