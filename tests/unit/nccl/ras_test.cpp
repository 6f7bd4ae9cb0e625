// SPDX-License-Identifier: Apache-2.0
#include "nccl/ras.hpp"

#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nccl/ras_address.hpp"
#include "ras_server.hpp"

namespace railgauge {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Long enough for any answer here; tests of deadlines take a short one.
constexpr auto ample = 30s;
constexpr auto brief = 150ms;

void greet(const RasPeer& peer) {
    peer.hear();
    peer.say("SERVER PROTOCOL 2\n");
    for (int command = 0; command < 2; ++command) {
        peer.hear();
        peer.say("OK\n");
    }
    peer.hear();
}

class RasTest : public testing::Test {
  protected:
    void TearDown() override { ::unsetenv("NCCL_RAS_ADDR"); }
};

TEST_F(RasTest, asks_for_the_verbose_status_as_json) {
    std::vector<std::string> heard;
    RasServer server([&heard](const RasPeer& peer) {
        heard.push_back(peer.hear());
        peer.say("SERVER PROTOCOL 2\n");
        for (int command = 0; command < 2; ++command) {
            heard.push_back(peer.hear());
            peer.say("OK\n");
        }
        heard.push_back(peer.hear());
        peer.say("{\n  \"nccl_version\": \"2.28.9\"\n}\n");
    });
    EXPECT_EQ(query_ras(ample), "{\n  \"nccl_version\": \"2.28.9\"\n}\n");
    server.finish();
    EXPECT_THAT(heard,
                ElementsAre("CLIENT PROTOCOL 2", "TIMEOUT 1", "SET FORMAT json", "VERBOSE STATUS"));
}

TEST_F(RasTest, takes_plain_text_from_a_service_without_json) {
    RasServer server([](const RasPeer& peer) {
        peer.hear();
        peer.say("SERVER PROTOCOL 2\n");
        peer.hear();
        peer.say("OK\n");
        peer.hear();
        peer.say("ERROR: Unknown command SET FORMAT json\n");
        peer.hear();
        peer.say("Job summary\n===========\n");
    });
    EXPECT_EQ(query_ras(ample), "Job summary\n===========\n");
}

TEST_F(RasTest, puts_an_answer_in_pieces_together) {
    RasServer server([](const RasPeer& peer) {
        peer.hear();
        for (const char c : std::string("SERVER PROTOCOL 2\n"))
            peer.say({&c, 1});
        peer.hear();
        peer.say("OK\n");
        peer.hear();
        peer.say("OK\n{");
        peer.hear();
        peer.say("}");
    });
    EXPECT_EQ(query_ras(ample), "{}");
}

TEST_F(RasTest, nobody_listening_is_no_answer) {
    int port = 0;
    {
        RasServer server([](const RasPeer&) {});
        port = server.port();
    }
    for (const std::string host : {"127.0.0.1:", "localhost:", "[::1]:"}) {
        ::setenv("NCCL_RAS_ADDR", (host + std::to_string(port)).c_str(), 1);
        EXPECT_THAT(query_ras(ample), IsEmpty());
    }
}

TEST_F(RasTest, localhost_is_found_by_name) {
    RasServer server([](const RasPeer& peer) {
        greet(peer);
        peer.say("{}");
    });
    ::setenv("NCCL_RAS_ADDR", ("localhost:" + std::to_string(server.port())).c_str(), 1);
    EXPECT_EQ(query_ras(ample), "{}");
}

TEST_F(RasTest, a_service_that_never_speaks_is_left_at_the_limit) {
    RasServer server([](const RasPeer& peer) { peer.stall(); });
    EXPECT_THAT(query_ras(brief), IsEmpty());
}

TEST_F(RasTest, a_limit_of_nothing_asks_nothing) {
    RasServer server([](const RasPeer& peer) { greet(peer); });
    EXPECT_THAT(query_ras(0ms), IsEmpty());
    EXPECT_THAT(query_ras(-1s), IsEmpty());
}

TEST_F(RasTest, a_boundless_limit_is_taken) {
    RasServer server([](const RasPeer& peer) {
        greet(peer);
        peer.say("{}");
    });
    EXPECT_EQ(query_ras(std::chrono::milliseconds::max()), "{}");
}

TEST_F(RasTest, an_answer_that_stalls_is_kept_as_far_as_it_came) {
    RasServer server([](const RasPeer& peer) {
        greet(peer);
        peer.say("{ \"communicators\": [");
        peer.stall();
    });
    EXPECT_EQ(query_ras(1s), "{ \"communicators\": [");
}

TEST_F(RasTest, a_service_that_drips_is_left_at_the_limit) {
    RasServer server([](const RasPeer& peer) {
        peer.hear();
        while (peer.say("x"))
            std::this_thread::sleep_for(1ms);
    });
    EXPECT_THAT(query_ras(brief), IsEmpty());
}

TEST_F(RasTest, another_service_on_the_port_is_no_answer) {
    RasServer server([](const RasPeer& peer) {
        peer.say("SSH-2.0-OpenSSH_9.6\r\n");
        peer.stall();
    });
    EXPECT_THAT(query_ras(ample), IsEmpty());
}

TEST_F(RasTest, an_unknown_reply_to_a_command_is_no_answer) {
    RasServer server([](const RasPeer& peer) {
        peer.hear();
        peer.say("SERVER PROTOCOL 2\nwhat?\n");
        peer.stall();
    });
    EXPECT_THAT(query_ras(ample), IsEmpty());
}

TEST_F(RasTest, a_service_that_closes_early_is_no_answer) {
    for (int replies = 0; replies < 4; ++replies) {
        RasServer server([replies](const RasPeer& peer) {
            for (int reply = 0; reply < replies; ++reply) {
                peer.hear();
                peer.say(reply == 0 ? "SERVER PROTOCOL 2\n" : "OK\n");
            }
        });
        EXPECT_THAT(query_ras(ample), IsEmpty()) << replies;
    }
}

TEST_F(RasTest, an_endless_answer_is_cut) {
    RasServer server([](const RasPeer& peer) {
        greet(peer);
        const std::string block(100'000, 'x');
        while (peer.say(block)) {
        }
    });
    EXPECT_THAT(query_ras(ample), SizeIs(most_ras_bytes));
}

TEST_F(RasTest, an_endless_line_instead_of_a_reply_is_no_answer) {
    RasServer server([](const RasPeer& peer) {
        const std::string block(100'000, 'x');
        while (peer.say(block)) {
        }
    });
    EXPECT_THAT(query_ras(ample), IsEmpty());
}

TEST_F(RasTest, bytes_that_cannot_be_shown_are_replaced) {
    RasServer server([](const RasPeer& peer) {
        greet(peer);
        peer.say(std::string_view("a\x1b[2J\xff\0\tb\nü\n", 13));
    });
    EXPECT_EQ(query_ras(ample), "a?[2J??\tb\nü\n");
}

TEST_F(RasTest, random_bytes_at_any_point_do_no_harm) {
    std::minstd_rand random(28028);
    for (int round = 0; round < 40; ++round) {
        RasServer server([&random, round](const RasPeer& peer) {
            for (int reply = 0; reply < round % 4; ++reply) {
                peer.hear();
                peer.say(reply == 0 ? "SERVER PROTOCOL 2\n" : "OK\n");
            }
            std::string noise(random() % 20'000, '\0');
            for (char& c : noise)
                c = static_cast<char>(random() % 256);
            peer.say(noise);
        });
        EXPECT_LE(query_ras(ample).size(), most_ras_bytes);
    }
}

TEST_F(RasTest, an_address_that_is_none_is_no_answer) {
    for (const char* text : {"", ":", "host", "host:", ":28028", "::1:28028", "127.0.0.1:port",
                             "127.0.0.1:99999999", "[]:1"}) {
        ::setenv("NCCL_RAS_ADDR", text, 1);
        EXPECT_THAT(query_ras(brief), IsEmpty()) << text;
    }
}

TEST_F(RasTest, a_name_that_nobody_knows_is_no_answer) {
    ::setenv("NCCL_RAS_ADDR", "no-such-host.invalid:28028", 1);
    EXPECT_THAT(query_ras(brief), IsEmpty());
}

TEST_F(RasTest, without_the_variable_the_address_is_nccls_own) {
    ::unsetenv("NCCL_RAS_ADDR");
    EXPECT_EQ(ras::address_of_environment(), (ras::Address{"localhost", "28028"}));
}

TEST(RasAddressTest, brackets_hold_an_ipv6_address) {
    EXPECT_EQ(ras::parse_address("[fe80::1%eth0]:7"), (ras::Address{"fe80::1%eth0", "7"}));
    EXPECT_EQ(ras::parse_address("node1:28028"), (ras::Address{"node1", "28028"}));
}

}  // namespace
}  // namespace railgauge
