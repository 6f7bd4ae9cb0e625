// SPDX-License-Identifier: Apache-2.0
#include "nccl/dumps.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace railgauge {
namespace {

class ArmDumpsTest : public testing::Test {
  protected:
    ArmDumpsTest() {
        forget();
        std::string name = testing::TempDir() + "railgauge-XXXXXX";
        folder_ = ::mkdtemp(name.data());
    }
    ~ArmDumpsTest() override {
        forget();
        std::filesystem::remove_all(folder_);
    }

    static void forget() {
        unsetenv("NCCL_TOPO_DUMP_FILE");
        unsetenv("NCCL_GRAPH_DUMP_FILE");
    }

    static std::string told(const char* variable) {
        const char* text = std::getenv(variable);
        return text == nullptr ? "(none)" : text;
    }

    std::filesystem::path folder_;
};

TEST_F(ArmDumpsTest, nccl_is_told_to_write_both_files_into_a_folder_that_is_there) {
    arm_dumps(folder_ / "run.parts" / "archive");
    EXPECT_TRUE(std::filesystem::is_directory(folder_ / "run.parts" / "archive"));
    EXPECT_EQ(told("NCCL_TOPO_DUMP_FILE"), folder_ / "run.parts/archive/nccl-topology.xml");
    EXPECT_EQ(told("NCCL_GRAPH_DUMP_FILE"), folder_ / "run.parts/archive/nccl-graph.xml");
}

TEST_F(ArmDumpsTest, a_file_that_the_user_names_stays_the_users) {
    setenv("NCCL_TOPO_DUMP_FILE", "/home/user/topology.xml", 1);
    arm_dumps(folder_);
    EXPECT_EQ(told("NCCL_TOPO_DUMP_FILE"), "/home/user/topology.xml");
    EXPECT_EQ(told("NCCL_GRAPH_DUMP_FILE"), folder_ / "nccl-graph.xml");
}

TEST_F(ArmDumpsTest, a_folder_that_cannot_be_made_costs_the_dumps_alone) {
    arm_dumps("/proc/no/folder");
    EXPECT_EQ(told("NCCL_TOPO_DUMP_FILE"), "(none)");
}

}  // namespace
}  // namespace railgauge
