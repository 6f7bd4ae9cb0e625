// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "measure/case.hpp"
#include "pairs/served_call.hpp"
#include "pairs/served_options.hpp"
#include "transport/control_address.hpp"
#include "transport/token.hpp"
#include "transport/transport.hpp"

namespace railgauge {

/// A rank's session with a receiver outside the job: begun with the first case that needs it, kept
/// while such cases follow each other.
///
/// Errors name the server. After Error(library) the session is lost, and every later call throws
/// the same.
class ServedClient {
  public:
    /// @throws Error(usage) for an address or token file that is none
    ServedClient(const ServedOptions& options, int rank);

    /// Has the server prepare `call`, and connects to its buffer for it.
    /// @param memory outlives the channel
    /// @throws Error(usage) when the server cannot do that case
    std::unique_ptr<Channel> connect(Transport& transport, RegisteredMemory& memory,
                                     const PairCall& call, const ChannelParameters& parameters);

    /// Before both sides verify an operation. @param answers as answers_to() counts them, since
    /// connect()
    void begin_check(std::uint64_t round, std::int64_t answers);

    /// After it: what the server found on its side.
    CheckTally end_check();

    /// Before the channel is closed, which the server does too.
    void end(std::int64_t answers);

    /// Ends the session, if there is one: a rank that is not at work keeps no place.
    void leave();

  private:
    std::unique_ptr<Channel> connected(Transport& transport, RegisteredMemory& memory,
                                       const ChannelParameters& parameters);
    ControlChannel greeted();
    std::optional<ControlChannel> try_to_greet(std::string& why);
    void require_session();
    ServedReply ask(const ServedCommand& command);
    ServedReply reply();
    void look_up();

    /// Runs `step` unless the session is lost; remembers how it is lost.
    template <class Step>
    auto keeping_errors(Step step);

    ControlAddress address_;
    std::string memory_name_;
    int rank_;
    Token token_;
    std::optional<ControlChannel> session_;
    std::optional<ServedReply> early_;  ///< came while this rank still waited in the channel
    std::string lost_;                  ///< why there is no session any more
};

}  // namespace railgauge
