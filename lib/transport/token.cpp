// SPDX-License-Identifier: Apache-2.0
#include "transport/token.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"

namespace railgauge {
namespace {

constexpr std::size_t least_token_bytes = 16;
constexpr std::size_t most_token_bytes = 4096;

// Bound into every code, so that one of another version, side or purpose is of no use.
constexpr std::string_view protocol = "railgauge-serve/1";
constexpr std::string_view client_label = "railgauge-serve/1 client";
constexpr std::string_view server_label = "railgauge-serve/1 server";
constexpr std::string_view session_label = "railgauge-serve/1 session";

constexpr std::size_t greeting_bytes = protocol.size() + sizeof(Digest);
constexpr std::size_t proof_bytes = 2 * sizeof(Digest);

[[noreturn]] void refuse_file(const std::filesystem::path& file, const std::string& why,
                              const char* remedy) {
    throw Error(ExitCode::usage, fmt::format("the token file {} cannot be used", file.string()),
                why, remedy);
}

void require_private(const std::filesystem::path& file, int descriptor) {
    struct stat status {};
    check_errno(::fstat(descriptor, &status), "looking at", file.string());
    if (!S_ISREG(status.st_mode))
        refuse_file(file, "it is no regular file", "write the token into one");
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        refuse_file(file, "others than its owner may use it", "chmod 600 it");
}

std::vector<std::byte> joined(std::initializer_list<ByteView> parts) {
    std::vector<std::byte> bytes;
    for (const ByteView part : parts)
        bytes.insert(bytes.end(), part.begin(), part.end());
    return bytes;
}

void seal(ControlChannel& channel, const Token& token, ByteView server_nonce,
          ByteView client_nonce) {
    channel.seal(hmac_sha256(token.bytes(), {bytes_of(session_label), server_nonce, client_nonce}));
}

}  // namespace

Token read_token(const std::filesystem::path& file) {
    // A pipe would otherwise be waited for.
    const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!opened) refuse_file(file, std::generic_category().message(errno), "give the path of one");
    require_private(file, opened.get());
    std::vector<std::byte> bytes(most_token_bytes + 1);
    const auto size = static_cast<std::size_t>(
        check_errno(static_cast<int>(::read(opened.get(), bytes.data(), bytes.size())), "reading",
                    file.string()));
    bytes.resize(size);
    Token token(std::move(bytes));
    std::size_t length = size;
    while (length > 0 && (token.bytes()[length - 1] == std::byte{'\n'} ||
                          token.bytes()[length - 1] == std::byte{'\r'}))
        --length;
    if (size > most_token_bytes)
        refuse_file(file, "it is larger than 4 KiB", "use a shorter token");
    if (length < least_token_bytes)
        refuse_file(file, "it has less than 16 B", "make one: openssl rand -hex 32");
    return Token({token.bytes().begin(), token.bytes().begin() + static_cast<long>(length)});
}

void prove_to_server(ControlChannel& channel, const Token& token, Deadline deadline) {
    const std::vector<std::byte> greeting = channel.receive(deadline, greeting_bytes);
    const ByteView version = ByteView(greeting).first(std::min(greeting.size(), protocol.size()));
    if (greeting.size() != greeting_bytes || !is_same(version, bytes_of(protocol))) {
        throw Error(ExitCode::library, fmt::format("{} is no server of this kind", channel.peer()),
                    "it does not greet as one",
                    "see the port, and whether both sides are of one version");
    }
    const ByteView theirs = ByteView(greeting).subspan(protocol.size());
    const Digest mine = random_digest();
    const Digest proof = hmac_sha256(token.bytes(), {bytes_of(client_label), theirs, mine});
    channel.send(joined({mine, proof}), deadline);
    const std::vector<std::byte> answer = channel.receive(deadline, sizeof(Digest));
    const Digest expected = hmac_sha256(token.bytes(), {bytes_of(server_label), mine, theirs});
    if (!is_same(answer, expected)) {
        throw Error(
            ExitCode::library,
            fmt::format("the server {} and this rank do not trust each other", channel.peer()),
            "their tokens differ", "give both the same --token-file");
    }
    seal(channel, token, theirs, mine);
}

void admit_client(ControlChannel& channel, const Token& token, Deadline deadline) {
    const Digest mine = random_digest();
    channel.send(joined({bytes_of(protocol), mine}), deadline);
    const std::vector<std::byte> proof = channel.receive(deadline, proof_bytes);
    const ByteView theirs = ByteView(proof).first(std::min(proof.size(), sizeof(Digest)));
    const Digest expected = hmac_sha256(token.bytes(), {bytes_of(client_label), mine, theirs});
    if (!is_same(ByteView(proof).subspan(theirs.size()), expected)) {
        channel.send({}, deadline);
        throw Error(ExitCode::library, fmt::format("the client {} is refused", channel.peer()),
                    "it does not know the token", "give both sides the same --token-file");
    }
    channel.send(hmac_sha256(token.bytes(), {bytes_of(server_label), theirs, mine}), deadline);
    seal(channel, token, mine, theirs);
}

}  // namespace railgauge
