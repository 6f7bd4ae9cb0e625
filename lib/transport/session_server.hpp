// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "base/file_descriptor.hpp"
#include "transport/control_address.hpp"
#include "transport/token.hpp"

namespace railgauge {

/// What a session is to its client once it is admitted.
struct SessionLimits {
    int most_sessions = 16;  ///< at once
    int sessions = 0;        ///< ends after so many; 0 = never
    std::chrono::nanoseconds proof_time{std::chrono::seconds(10)};  ///< for a client's proof
    int most_unproved = 16;  ///< connections without it at once; others wait in the kernel
};

/// Admits clients that know the token and serves each on a thread of its own, whatever becomes of
/// the others. One line to stderr for each that begins, ends or is refused.
class SessionServer {
  public:
    /// The whole session of an admitted client. Returns what it did, for the line at its end.
    /// Throws Error to end it.
    using Serve = std::function<std::string(ControlChannel& channel)>;

    /// Answers an admitted client that there is no place for; the channel is closed then.
    using Refuse = std::function<void(ControlChannel& channel, const std::string& why)>;

    /// @param token outlives the server
    SessionServer(ControlListener listener, const Token& token, SessionLimits limits, Serve serve,
                  Refuse refuse);

    /// Waits for the sessions' threads without end: stop() before, where that may take long.
    ~SessionServer();

    /// Returns when `end` is readable, or when the last of the limited sessions has ended.
    void run(int end);

    /// Tells all sessions to end. Whether they have, within `limit`.
    bool stop(std::chrono::nanoseconds limit);

  private:
    struct Worker {
        std::thread thread;
        std::atomic<bool> is_done{false};
    };

    void start_one();
    void forget_done();
    bool is_over() const;
    void work(Worker& worker, ControlChannel channel);
    void admit(ControlChannel& channel);
    void serve(ControlChannel& channel);
    bool take_place(std::string& why);
    void leave_place();
    void wake() const;

    ControlListener listener_;
    const Token& token_;
    SessionLimits limits_;
    Serve serve_;
    Refuse refuse_;
    FileDescriptor stop_;     ///< readable once sessions are to end
    FileDescriptor changed_;  ///< readable when a connection was proved or a thread is done
    std::list<Worker> workers_;
    std::atomic<int> unproved_{0};
    mutable std::mutex mutex_;  ///< of the counts of sessions
    int begun_ = 0;
    int open_ = 0;
};

}  // namespace railgauge
