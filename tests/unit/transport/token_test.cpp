// SPDX-License-Identifier: Apache-2.0
#include "transport/token.hpp"

#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control_ends.hpp"

namespace railgauge {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace testing;

Token token_of(std::string_view text) {
    const ByteView bytes = bytes_of(text);
    return Token({bytes.begin(), bytes.end()});
}

class TokenFileTest : public ::testing::Test {
  protected:
    TokenFileTest() {
        std::string name = (std::filesystem::temp_directory_path() / "token.XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
    }
    ~TokenFileTest() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path write(const std::string& text, mode_t mode = 0600) const {
        std::filesystem::path file = folder_ / "token";
        std::ofstream(file) << text;
        ::chmod(file.c_str(), mode);
        return file;
    }

    static std::string refusal(const std::filesystem::path& file) {
        return error_of([&] { read_token(file); });
    }

    std::filesystem::path folder_;
};

TEST_F(TokenFileTest, the_line_break_at_the_end_is_no_part_of_it) {
    for (const char* end : {"", "\n", "\r\n"}) {
        const Token token = read_token(write(std::string("0123456789abcdef") + end));
        EXPECT_TRUE(is_same(token.bytes(), bytes_of("0123456789abcdef")));
    }
}

TEST_F(TokenFileTest, who_may_be_read_by_others_is_no_secret) {
    for (const mode_t mode : {0640u, 0604u, 0620u, 0601u})
        EXPECT_THAT(refusal(write(std::string(32, 'x'), mode)),
                    HasSubstr("others than its owner may use it"));
    EXPECT_EQ(refusal(write(std::string(32, 'x'), 0400)), "no error");
}

TEST_F(TokenFileTest, too_short_and_too_long_are_refused_without_being_shown) {
    EXPECT_THAT(refusal(write("secret of 15 B.\n")), HasSubstr("less than 16 B"));
    EXPECT_THAT(refusal(write("secret of 15 B.\n")), Not(HasSubstr("secret of")));
    EXPECT_THAT(refusal(write(std::string(4097, 'x'))), HasSubstr("larger than 4 KiB"));
    EXPECT_EQ(refusal(write(std::string(4096, 'x'))), "no error");
}

TEST_F(TokenFileTest, what_is_no_file_is_refused_at_once) {
    EXPECT_THAT(refusal(folder_ / "none"), HasSubstr("No such file"));
    EXPECT_THAT(refusal(folder_), HasSubstr("no regular file"));
    ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    EXPECT_THAT(refusal(folder_ / "pipe"), HasSubstr("no regular file"));
}

/// Both sides' errors of a proof.
std::pair<std::string, std::string> prove(Ends& ends, const Token& client, const Token& server) {
    std::string at_server;
    std::thread other(
        [&] { at_server = error_of([&] { admit_client(ends.server, server, soon()); }); });
    const std::string at_client = error_of([&] { prove_to_server(ends.client, client, soon()); });
    other.join();
    return {at_client, at_server};
}

constexpr std::string_view secret = "a secret of two sides";

TEST(TokenTest, who_knows_it_on_both_sides_speaks_under_a_seal_afterwards) {
    Ends ends;
    const auto [client, server] = prove(ends, token_of(secret), token_of(secret));
    EXPECT_EQ(client, "no error");
    EXPECT_EQ(server, "no error");
    ends.client.send(bytes_of("hello"), soon());
    EXPECT_EQ(text_of(ends.server.receive(soon())), "hello");
}

TEST(TokenTest, two_tokens_are_an_error_on_both_sides) {
    Ends ends;
    const auto [client, server] = prove(ends, token_of(secret), token_of("another of two sides"));
    EXPECT_THAT(client, HasSubstr("the server storage:1 and this rank do not trust each other"));
    EXPECT_THAT(server, HasSubstr("the client rank:2 is refused (it does not know the token)"));
}

/// A server that is given `proof` to its greeting.
std::string refusal_of(const std::vector<std::byte>& proof, const Token& token) {
    Ends ends;
    ends.client.send(proof, soon());
    return error_of([&] { admit_client(ends.server, token, soon()); });
}

TEST(TokenTest, a_proof_is_of_no_use_a_second_time) {
    const Token token = token_of(secret);
    Ends ends;
    std::vector<std::byte> proof;
    std::thread client([&] {
        EXPECT_THAT(error_of([&] { prove_to_server(ends.client, token, at_once()); }),
                    HasSubstr("does not answer in time"));
    });
    ends.server.send(bytes_of("railgauge-serve/1" + std::string(32, 'n')), soon());
    proof = ends.server.receive(soon());
    client.join();
    EXPECT_THAT(refusal_of(proof, token), HasSubstr("does not know the token"));
}

TEST(TokenTest, what_is_wrong_with_a_proof_is_not_told) {
    const Token token = token_of(secret);
    const std::string wrong = refusal_of(std::vector<std::byte>(64), token);
    for (const std::size_t size : {0u, 1u, 31u, 32u, 33u, 63u})
        EXPECT_EQ(refusal_of(std::vector<std::byte>(size), token), wrong) << size;
    EXPECT_THAT(refusal_of(std::vector<std::byte>(65), token), HasSubstr("64 are the most"));
}

TEST(TokenTest, a_server_that_only_repeats_what_it_hears_is_not_trusted) {
    const Token token = token_of(secret);
    Ends ends;
    std::thread mirror([&] {
        ends.server.send(bytes_of("railgauge-serve/1" + std::string(32, 'n')), soon());
        const std::vector<std::byte> proof = ends.server.receive(soon());
        ends.server.send(ByteView(proof).subspan(32), soon());
    });
    EXPECT_THAT(error_of([&] { prove_to_server(ends.client, token, soon()); }),
                HasSubstr("do not trust each other"));
    mirror.join();
}

TEST(TokenTest, another_kind_of_server_is_told_nothing) {
    const Token token = token_of(secret);
    Ends ends;
    ends.server.send(bytes_of("SSH-2.0-OpenSSH"), soon());
    EXPECT_THAT(error_of([&] { prove_to_server(ends.client, token, soon()); }),
                StartsWith("storage:1 is no server of this kind"));
    EXPECT_FALSE(ends.server.has_news());
}

TEST(MacTest, is_hmac_sha256_and_tells_lists_of_parts_apart) {
    const ByteView key = bytes_of("key");
    EXPECT_EQ(hmac_sha256(key, {bytes_of("ab")}), hmac_sha256(key, {bytes_of("ab")}));
    EXPECT_NE(hmac_sha256(key, {bytes_of("ab")}), hmac_sha256(key, {bytes_of("a"), bytes_of("b")}));
    EXPECT_NE(random_digest(), random_digest());
}

}  // namespace
}  // namespace railgauge
