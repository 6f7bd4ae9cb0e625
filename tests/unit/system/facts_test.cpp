// SPDX-License-Identifier: Apache-2.0
#include "system/facts.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "system/environment.hpp"
#include "system/proc_files.hpp"

namespace railgauge {
namespace {

TEST(EnvironmentTest, records_what_changes_results) {
    for (const char* name : {"NCCL_IB_HCA", "UCX_TLS", "OMPI_MCA_btl", "PRTE_MCA_plm",
                             "CUDA_VISIBLE_DEVICES", "RAILGAUGE_RAIL_MAP", "OMP_NUM_THREADS"}) {
        EXPECT_TRUE(may_record_variable(name)) << name;
    }
}

TEST(EnvironmentTest, never_records_secrets_the_rest_or_the_launchers_own_wiring) {
    for (const char* name :
         {"AWS_SECRET_ACCESS_KEY", "HOME", "PATH", "UCX_AUTH_TOKEN", "NCCL_password",
          "RAILGAUGE_S3_KEY", "OMPI_MCA_orte_precondition_transports", "OMPI_MCA_orte_hnp_uri",
          "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_local_daemon_uri", "OMPI_MCA_initial_wdir"}) {
        EXPECT_FALSE(may_record_variable(name)) << name;
    }
}

TEST(NodeFactsTest, are_json_without_secrets_whatever_the_host_is_called) {
    setenv("NCCL_DEBUG", "WARN", 1);
    setenv("NCCL_SECRET", "hunter2", 1);
    const std::string text =
        node_facts_json("서울-\"노드\xff", "boot", {{"mpi_library", "Open MPI"}});
    const auto facts = nlohmann::json::parse(text);
    EXPECT_EQ(facts["environment"]["NCCL_DEBUG"], "WARN");
    EXPECT_EQ(text.find("hunter2"), std::string::npos);
    EXPECT_EQ(facts["mpi_library"], "Open MPI");
    EXPECT_GT(facts["memory_bytes"].get<std::uint64_t>(), 0u);
    EXPECT_TRUE(facts.contains("kernel"));
    EXPECT_GE(facts["cpus"], 1);
}

TEST(AllowedCpusTest, lists_this_process_cpus_as_ranges) {
    EXPECT_FALSE(allowed_cpus().empty());
}

TEST(FindValueTest, takes_the_text_after_the_key) {
    EXPECT_EQ(find_value("a=1\nPRETTY_NAME=\"Debian 12\"\n", "PRETTY_NAME", '='), "Debian 12");
    EXPECT_EQ(find_value("model name\t: X Y\n", "model name", ':'), "X Y");
    EXPECT_EQ(find_value("key=\n", "key", '='), "");
    EXPECT_FALSE(find_value("a=1", "b", '=').has_value());
}

}  // namespace
}  // namespace railgauge
