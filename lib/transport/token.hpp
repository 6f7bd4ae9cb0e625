// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "transport/control_channel.hpp"
#include "transport/mac.hpp"

namespace railgauge {

/// What a server and its clients know and nobody else does. It never travels: each side proves to
/// the other that it knows it.
class Token {
  public:
    explicit Token(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
    Token(Token&& other) noexcept : bytes_(std::move(other.bytes_)) {}
    Token& operator=(Token&&) = delete;
    Token(const Token&) = delete;
    Token& operator=(const Token&) = delete;
    ~Token() { wipe(bytes_); }

    ByteView bytes() const noexcept { return bytes_; }

  private:
    std::vector<std::byte> bytes_;
};

/// The token that a file holds: 16 B to 4 KiB, without the line break at its end.
/// @throws Error(usage) for a file that others than its owner may read, or that is no token
Token read_token(const std::filesystem::path& file);

/// The client's side of the proof, on a new channel, which is sealed then.
///
///     server: version, nonce S        client: nonce C, HMAC(token, client, S, C)
///     server: HMAC(token, server, C, S)
///
/// The server is asked for its proof last: only who knows the token is told anything by it.
/// @throws Error(library) that names the server
void prove_to_server(ControlChannel& channel, const Token& token, Deadline deadline);

/// The server's side. @throws Error(library) that does not say what was wrong
void admit_client(ControlChannel& channel, const Token& token, Deadline deadline);

}  // namespace railgauge
