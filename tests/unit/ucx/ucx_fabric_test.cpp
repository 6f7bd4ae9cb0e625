// SPDX-License-Identifier: Apache-2.0
// Two processes that are no MPI job, over RAILGAUGE_TEST_UCX_TLS: sides that fail, lie or die.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "measure/clock.hpp"
#include "transport/fabric.hpp"

namespace railgauge {
namespace {

using testing::HasSubstr;

FabricOptions options() {
    FabricOptions chosen;
    const char* const tls = std::getenv("RAILGAUGE_TEST_UCX_TLS");
    chosen.ucx_tls = tls == nullptr ? "tcp" : tls;
    return chosen;
}

/// The other end of a socket.
class SocketPeer : public Peer {
  public:
    explicit SocketPeer(int socket) : socket_(socket) {}
    std::string name() const override { return "the other process"; }

    std::vector<std::byte> swap(std::span<const std::byte> mine) override {
        const std::size_t own_size = mine.size();
        put(&own_size, sizeof own_size);
        put(mine.data(), mine.size());
        std::size_t size = 0;
        get(&size, sizeof size);
        std::vector<std::byte> theirs(size);
        get(theirs.data(), size);
        return theirs;
    }

  private:
    void put(const void* data, std::size_t size) const {
        if (::send(socket_, data, size, MSG_NOSIGNAL) != static_cast<ssize_t>(size))
            throw std::runtime_error("the other process is gone");
    }
    void get(void* data, std::size_t size) const {
        if (size > 0 && ::recv(socket_, data, size, MSG_WAITALL) != static_cast<ssize_t>(size))
            throw std::runtime_error("the other process is gone");
    }

    int socket_;
};

/// A side of a connection: everything that a process needs.
struct Side {
    explicit Side(int socket, int queues = 1)
        : channel(fabric->connect(std::make_unique<SocketPeer>(socket), *memory,
                                  {.send_depth = 4, .receive_depth = 4, .queues = queues})) {}

    static constexpr std::size_t size = 1 << 20;
    std::unique_ptr<MemorySpace> space = make_host_memory();
    std::unique_ptr<Fabric> fabric = make_ucx_fabric(options());
    std::unique_ptr<RegisteredMemory> memory = fabric->allocate(*space, size);
    std::unique_ptr<Channel> channel;
};

/// A forked process that runs `body` with its end of a socket.
class OtherProcess {
  public:
    explicit OtherProcess(const std::function<void(int socket)>& body) {
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_.data()) != 0)
            throw std::runtime_error("socketpair failed");
        id_ = fork();
        if (id_ != 0) {
            ::close(sockets_[1]);
            return;
        }
        ::close(sockets_[0]);
        alarm(60);
        try {
            body(sockets_[1]);
        } catch (const Error&) {
            _exit(1);
        }
        _exit(0);
    }
    ~OtherProcess() {
        ::close(sockets_[0]);
        kill();
        static_cast<void>(wait());
    }
    OtherProcess(const OtherProcess&) = delete;
    OtherProcess& operator=(const OtherProcess&) = delete;

    int socket() const { return sockets_[0]; }
    void kill() const {
        if (id_ > 0) ::kill(id_, SIGKILL);
    }
    int wait() {
        int status = 0;
        if (id_ > 0) waitpid(id_, &status, 0);
        id_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

  private:
    std::array<int, 2> sockets_{};
    pid_t id_ = 0;
};

/// Polls until the channel throws, and returns the error's text.
std::string error_of(Channel& channel, const std::function<void()>& also) {
    const std::int64_t end_ns = monotonic_now_ns() + 60'000'000'000;
    try {
        while (monotonic_now_ns() < end_ns) {
            also();
            channel.poll();
        }
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::library);
        return error.what();
    }
    return "none came";
}

void stay(int socket) {
    Side side(socket);
    char byte = 0;
    static_cast<void>(::write(socket, &byte, 1));
    while (true)
        side.channel->poll();
}

class UcxFabricTest : public testing::Test {
  protected:
    /// Connected to a process that is killed then.
    std::string error_when_killed(const std::function<void(Channel&)>& first,
                                  const std::function<void(Channel&)>& then) {
        OtherProcess other(&stay);
        const Side side(other.socket());
        char byte = 0;
        EXPECT_EQ(::read(other.socket(), &byte, 1), 1);
        first(*side.channel);
        other.kill();
        return error_of(*side.channel, [&] { then(*side.channel); });
    }
};

TEST_F(UcxFabricTest, two_processes_without_mpi_part_in_peace) {
    OtherProcess other([](int socket) {
        Side side(socket);
        side.channel->post({.verb = Verb::send, .bytes = 100});
        while (side.channel->poll().empty()) {
        }
        side.channel->close();
    });
    const Side side(other.socket());
    side.channel->post({.verb = Verb::receive, .bytes = 100});
    while (side.channel->poll().empty()) {
    }
    side.channel->close();
    EXPECT_EQ(other.wait(), 0);
}

TEST_F(UcxFabricTest, a_killed_peer_is_named_while_a_message_is_awaited) {
    const std::string error = error_when_killed(
        [](Channel& channel) { channel.post({.verb = Verb::receive, .bytes = 8}); },
        [](Channel&) {});
    EXPECT_THAT(error, HasSubstr("the other process failed (UCX says: "));
}

TEST_F(UcxFabricTest, a_killed_peer_is_named_while_it_is_written_to) {
    std::size_t in_flight = 0;
    const std::string error = error_when_killed(
        [](Channel&) {},
        [&](Channel& channel) {
            if (in_flight++ < 4)
                channel.post({.verb = Verb::write, .bytes = Side::size, .notifies = true});
        });
    EXPECT_THAT(error, HasSubstr("the other process failed (UCX says: "));
}

TEST_F(UcxFabricTest, sides_that_differ_both_refuse) {
    OtherProcess other([](int socket) { const Side side(socket, 2); });
    try {
        const Side side(other.socket(), 1);
        FAIL() << "connected";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("the other process cannot connect by UCX"));
        EXPECT_THAT(error.what(), HasSubstr("it has 2 queues, not 1"));
    }
    EXPECT_EQ(other.wait(), 1);
}

/// Answers the first swap with what it is told to.
class Liar : public Peer {
  public:
    explicit Liar(std::vector<std::byte> answer) : answer_(std::move(answer)) {}
    std::string name() const override { return "rank 3 on n5"; }
    std::vector<std::byte> swap(std::span<const std::byte> /*mine*/) override { return answer_; }

  private:
    std::vector<std::byte> answer_;
};

TEST_F(UcxFabricTest, a_peer_that_speaks_nonsense_is_named) {
    const auto fabric = make_ucx_fabric(options());
    const auto space = make_host_memory();
    const auto memory = fabric->allocate(*space, 64);
    for (const std::size_t size : {0, 1, 100, 100'000}) {
        auto liar = std::make_unique<Liar>(std::vector<std::byte>(size, std::byte{'x'}));
        try {
            static_cast<void>(fabric->connect(std::move(liar), *memory, {}));
            FAIL() << "connected";
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), HasSubstr("what rank 3 on n5 says of itself is wrong"));
        }
    }
}

std::string refusal(const FabricOptions& wrong) {
    try {
        static_cast<void>(make_ucx_fabric(wrong));
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
    return "made";
}

TEST_F(UcxFabricTest, a_wrong_name_of_a_transport_is_refused_with_it) {
    FabricOptions wrong;
    wrong.ucx_tls = "nonsense";
    EXPECT_THAT(refusal(wrong), HasSubstr("--ucx-tls nonsense"));
    EXPECT_THAT(refusal(wrong), HasSubstr("transport 'nonsense' is not available"));
}

TEST_F(UcxFabricTest, an_option_that_ucx_cannot_follow_is_refused) {
    FabricOptions wrong = options();
    wrong.path_mtu = 256;  // UCX has 512 and more
    EXPECT_THAT(refusal(wrong), HasSubstr("256"));
}

TEST_F(UcxFabricTest, an_absent_device_is_refused) {
    FabricOptions wrong;
    wrong.device = "mlx5_77";
    EXPECT_THAT(refusal(wrong), HasSubstr("there is no device mlx5_77"));
}

}  // namespace
}  // namespace railgauge
