// SPDX-License-Identifier: Apache-2.0
#include "program/command_line.hpp"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace railgauge {
namespace {

class NoProgram : public Program {
  public:
    explicit NoProgram(WorkloadKind kind = WorkloadKind::iteration) : kind_(kind) {}
    std::string_view name() const override { return "none"; }
    std::string_view description() const override { return "Measures nothing."; }
    WorkloadKind kind() const override { return kind_; }
    void add_options(CLI::App&) override {}
    std::vector<Case> plan(const Job&) override { return {}; }
    AnyWorkload make_workload(const Job&) override { return {}; }
    std::string table_header() const override { return {}; }
    std::string table_row(const Case&, const CaseResult&, const TimeSummary&) override {
        return {};
    }

  private:
    WorkloadKind kind_;
};

CommandLine parse(std::vector<std::string> words, WorkloadKind kind = WorkloadKind::iteration) {
    words.insert(words.begin(), "railgauge-none");
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    NoProgram program(kind);
    CommandLine line;
    parse_command_line(static_cast<int>(argv.size()), argv.data(), program, line);
    return line;
}

TEST(CommandLineTest, takes_what_is_exact_as_exact) {
    const CommandLine line =
        parse({"--iterations", "37", "--warmup", "0", "--out", "서울/결과.h5"});
    ASSERT_FALSE(line.mistake);
    EXPECT_EQ(line.measure.make_stop_rule()->capacity(), 37u);
    EXPECT_EQ(line.measure.runner_options().warmup, 0u);
    EXPECT_EQ(line.run.out, "서울/결과.h5");
}

TEST(CommandLineTest, batches_only_in_batched_mode) {
    EXPECT_EQ(parse({}).measure.runner_options().ops_per_sample, 1u);
    EXPECT_EQ(parse({"--mode", "batched", "--batch", "50"}).measure.runner_options().ops_per_sample,
              50u);
}

TEST(CommandLineTest, refuses_each_mistake_in_one_line_with_code_2) {
    const std::vector<std::vector<std::string>> mistakes{
        {"--no-such-option"},
        {"stray"},
        {"--iterations", "0"},
        {"--iterations", "-5"},
        {"--iterations", "many"},
        {"--iterations", "99999999999999999999"},
        {"--iterations", "10", "--stop", "width"},
        {"--stop", "fixed"},
        {"--stop", "never"},
        {"--start", "now"},
        {"--mode", "turbo"},
        {"--time", "-1s"},
        {"--timeout", "soon"},
        {"--batch", "50"},
        {"--window-period", "1ms"},
        {"--time", "1s", "--stop", "width"},
        {"--width", "1"},
        {"--max-samples", "5", "--iterations", "5"},
        {"--max-time", "5s", "--iterations", "5"},
        {"--start", "window", "--warmup", "0"},
        {"--width", "0"},
        {"--stop", "width", "--width", "nan"},
        {"--overwrite", "--resume"},
        {"--expect-nodes", "0"},
        {"--out", "/"},
        {"--out", "/tmp/"},
        {"--verify", "maybe"},
        {"--out"},
    };
    for (const auto& words : mistakes) {
        const CommandLine line = parse(words);
        ASSERT_TRUE(line.mistake) << words.front();
        EXPECT_EQ(line.mistake->code, ExitCode::usage) << line.mistake->text;
        EXPECT_EQ(line.mistake->text.find('\n'), std::string::npos) << line.mistake->text;
    }
}

TEST(CommandLineTest, offers_each_kind_of_program_its_own_options) {
    EXPECT_TRUE(parse({"--duration", "3s"}).mistake);
    const CommandLine line = parse({"--duration", "3s"}, WorkloadKind::window);
    ASSERT_FALSE(line.mistake);
    EXPECT_EQ(line.window.duration_ns(), 3'000'000'000);
    EXPECT_TRUE(parse({"--iterations", "3"}, WorkloadKind::window).mistake);
}

TEST(CommandLineTest, answers_help_and_version_without_a_mistake) {
    EXPECT_NE(parse({"--help"}).answer.find("--expect-nodes"), std::string::npos);
    EXPECT_NE(parse({"--version"}).answer.find("railgauge-none"), std::string::npos);
    EXPECT_FALSE(parse({"--help"}).mistake);
}

TEST(CommandLineTest, can_switch_the_deadline_off) {
    EXPECT_EQ(parse({"--timeout", "off"}).run.timeout_ns, 0);
    EXPECT_EQ(parse({"--timeout", "250ms"}).run.timeout_ns, 250'000'000);
}

TEST(DefaultOutTest, is_the_same_on_all_ranks_of_a_job_and_a_plain_file_name) {
    setenv("RAILGAUGE_RUN_ID", "2026/../../x y", 1);
    EXPECT_EQ(default_out("pairs"), "results/pairs-2026-..-..-x-y.h5");
    unsetenv("RAILGAUGE_RUN_ID");
    setenv("PMIX_NAMESPACE", "1234@0", 1);
    EXPECT_EQ(default_out("pairs"), "results/pairs-1234-0.h5");
    unsetenv("PMIX_NAMESPACE");
}

}  // namespace
}  // namespace railgauge
