// SPDX-License-Identifier: Apache-2.0
#include "transport/session_server.hpp"

#include <future>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "control_ends.hpp"

namespace railgauge {
namespace {

using ::testing::HasSubstr;
using namespace testing;

Token make_token() {
    const ByteView bytes = bytes_of("a secret of two sides");
    return Token({bytes.begin(), bytes.end()});
}

/// A server whose sessions send back what they hear, until an empty frame.
class Echo {
  public:
    explicit Echo(SessionLimits limits = {}) {
        ControlListener listener = listen_at({"127.0.0.1", 0});
        at_ = listener.at;
        server_ = std::make_unique<SessionServer>(
            std::move(listener), token_, limits,
            [](ControlChannel& channel) {
                channel.send(bytes_of("welcome"), soon());
                for (auto frame = channel.receive(soon()); !frame.empty();
                     frame = channel.receive(soon()))
                    channel.send(frame, soon());
                return std::string("done");
            },
            [](ControlChannel& channel, const std::string& why) {
                channel.send(bytes_of(why), soon());
            });
        running_ = std::async(std::launch::async, [this] { server_->run(end_.get()); });
    }
    ~Echo() { stop(); }

    ControlChannel connected() const { return connect_to(at_, soon()); }

    /// An admitted client, and what it was told first.
    std::pair<ControlChannel, std::string> admitted() const {
        ControlChannel channel = connected();
        prove_to_server(channel, token_, soon());
        std::string told = text_of(channel.receive(soon()));
        return {std::move(channel), std::move(told)};
    }

    bool stop() {
        const std::uint64_t one = 1;
        static_cast<void>(::write(end_.get(), &one, sizeof one));
        if (running_.valid()) running_.get();
        return server_->stop(seconds(60));
    }

    bool ends_by_itself() { return running_.wait_for(seconds(60)) == std::future_status::ready; }

  private:
    Token token_ = make_token();
    ControlAddress at_;
    FileDescriptor end_{::eventfd(0, EFD_CLOEXEC)};
    std::unique_ptr<SessionServer> server_;
    std::future<void> running_;
};

TEST(SessionServerTest, serves_several_clients_at_once) {
    const Echo echo;
    auto [first, told_first] = echo.admitted();
    auto [second, told_second] = echo.admitted();
    for (ControlChannel* client : {&second, &first}) {
        client->send(bytes_of("x"), soon());
        EXPECT_EQ(text_of(client->receive(soon())), "x");
    }
}

TEST(SessionServerTest, a_client_beyond_the_most_is_told_so_and_a_later_one_is_served) {
    const Echo echo({.most_sessions = 1});
    {
        auto [holder, welcome] = echo.admitted();
        EXPECT_EQ(welcome, "welcome");
        EXPECT_THAT(echo.admitted().second, HasSubstr("the server has 1 sessions, its most"));
    }
    const Deadline deadline = soon();
    while (echo.admitted().second != "welcome")
        ASSERT_LT(std::chrono::steady_clock::now(), deadline);
}

TEST(SessionServerTest, who_proves_nothing_is_cut_off_and_holds_nobody_up_after_that) {
    const Echo echo({.proof_time = milliseconds(100), .most_unproved = 2});
    std::vector<ControlChannel> silent;
    for (int i = 0; i < 6; ++i)
        silent.push_back(echo.connected());
    EXPECT_EQ(echo.admitted().second, "welcome");
    silent.front().receive(soon());  // the greeting
    EXPECT_THAT(error_of([&] { silent.front().receive(soon()); }), HasSubstr("closed"));
}

TEST(SessionServerTest, ends_when_the_last_of_its_sessions_has_ended) {
    Echo echo({.sessions = 2});
    for (int i = 0; i < 2; ++i)
        echo.admitted().first.send({}, soon());
    EXPECT_TRUE(echo.ends_by_itself());
}

TEST(SessionServerTest, its_end_ends_all_sessions) {
    Echo echo;
    ControlChannel admitted = echo.admitted().first;
    ControlChannel unproved = echo.connected();
    EXPECT_TRUE(echo.stop());
    EXPECT_THAT(error_of([&] { admitted.receive(soon()); }), HasSubstr("closed the connection"));
}

}  // namespace
}  // namespace railgauge
