// SPDX-License-Identifier: Apache-2.0
// On a fake NVML: tests/rigs/fake_nvml.
#include "system/gpu_facts.hpp"

#include <array>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "system/facts.hpp"

namespace railgauge {
namespace {

using nlohmann::json;

class GpuFactsTest : public testing::Test {
  protected:
    GpuFactsTest() {
        for (const char* name : variables)
            unsetenv(name);
    }
    ~GpuFactsTest() override {
        for (const char* name : variables)
            unsetenv(name);
    }

    static constexpr std::array<const char*, 5> variables{"FAKE_NVML_GPUS", "FAKE_NVML_LINK_DOWN",
                                                          "FAKE_NVML_FAIL", "FAKE_NVML_HANG",
                                                          "RAILGAUGE_NVML"};
};

TEST_F(GpuFactsTest, every_gpu_says_what_it_is_and_how_it_is_set) {
    const json facts = gpu_facts(FAKE_NVML);
    EXPECT_EQ(facts["gpu_driver"], "580.95.05");
    ASSERT_EQ(facts["gpus"].size(), 2u);
    json gpu = facts["gpus"][1];
    gpu.erase("nvlink");
    gpu.erase("fabric");
    EXPECT_EQ(gpu, json::parse(R"({
        "index": 1, "name": "Fake GPU", "uuid": "GPU-00000000-0000-0000-0000-000000000001",
        "pci": "00000000:1C:00.0", "vbios": "96.00.99.00.01", "memory_bytes": 206158430208,
        "ecc": "on", "persistence": "off", "power_limit_w": 1000.5,
        "pcie": {"generation": 4, "width": 8, "max_generation": 6, "max_width": 16}})"));
}

TEST_F(GpuFactsTest, a_link_that_is_down_is_told_from_one_that_is_not_supported) {
    setenv("FAKE_NVML_LINK_DOWN", "1:2", 1);
    const json facts = gpu_facts(FAKE_NVML);
    EXPECT_EQ(facts["gpus"][0]["nvlink"]["active"], 3);
    EXPECT_EQ(facts["gpus"][1]["nvlink"], json::parse(R"({
        "active": 2, "inactive": 1, "unsupported": 1,
        "state": ["active", "active", "inactive", "unsupported"],
        "version": [5, 5, 5, null], "peer": ["gpu", "switch", "switch", null],
        "peer_pci": ["00000000:C4:00.0", "00000000:C4:00.0", "00000000:C4:00.0", null]})"));
}

TEST_F(GpuFactsTest, the_fabric_of_a_rack_is_named) {
    EXPECT_EQ(gpu_facts(FAKE_NVML)["gpus"][0]["fabric"], json::parse(R"({
        "state": "completed", "status": 0, "clique": 7, "health_mask": 0,
        "cluster_uuid": "ab010000000000000000000000000000"})"));
}

TEST_F(GpuFactsTest, what_an_old_library_lacks_is_absent) {
    const json gpu = gpu_facts(FAKE_OLD_NVML)["gpus"][0];
    EXPECT_EQ(gpu["name"], "Fake GPU");
    EXPECT_FALSE(gpu.contains("nvlink"));
    EXPECT_FALSE(gpu.contains("fabric"));
}

TEST_F(GpuFactsTest, what_fails_is_absent_and_what_is_not_supported_says_so) {
    setenv("FAKE_NVML_FAIL", "nvmlDeviceGetVbiosVersion=15", 1);
    EXPECT_FALSE(gpu_facts(FAKE_NVML)["gpus"][0].contains("vbios"));
    setenv("FAKE_NVML_FAIL", "nvmlDeviceGetEccMode=3", 1);
    EXPECT_EQ(gpu_facts(FAKE_NVML)["gpus"][0]["ecc"], "unsupported");
    setenv("FAKE_NVML_FAIL", "nvmlDeviceGetNvLinkState=999", 1);
    EXPECT_EQ(gpu_facts(FAKE_NVML)["gpus"][0]["nvlink"], json::parse(R"({
        "active": 0, "inactive": 0, "unsupported": 1, "unknown": 3})"));
    setenv("FAKE_NVML_FAIL", "nvmlDeviceGetNvLinkRemotePciInfo_v2=3", 1);
    EXPECT_EQ(gpu_facts(FAKE_NVML)["gpus"][0]["nvlink"]["peer_pci"][0], nullptr);
}

TEST_F(GpuFactsTest, a_gpu_that_is_lost_still_counts) {
    setenv("FAKE_NVML_FAIL", "nvmlDeviceGetHandleByIndex_v2=15", 1);
    EXPECT_EQ(gpu_facts(FAKE_NVML)["gpus"], json::parse(R"([{"index": 0}, {"index": 1}])"));
}

TEST_F(GpuFactsTest, a_node_without_gpus_has_none_and_one_without_a_driver_says_nothing) {
    setenv("FAKE_NVML_GPUS", "0", 1);
    EXPECT_EQ(gpu_facts(FAKE_NVML)["gpus"], json::array());
    setenv("FAKE_NVML_FAIL", "nvmlInit_v2=9", 1);
    EXPECT_EQ(gpu_facts(FAKE_NVML), json::object());
    EXPECT_EQ(gpu_facts("libthere-is-none.so"), json::object());
    EXPECT_EQ(gpu_facts(""), json::object());
}

TEST_F(GpuFactsTest, a_driver_that_hangs_costs_no_more_than_the_patience) {
    for (const char* function : {"nvmlInit_v2", "nvmlDeviceGetPciInfo_v3", "nvmlShutdown"}) {
        setenv("FAKE_NVML_HANG", function, 1);
        EXPECT_EQ(gpu_facts(FAKE_NVML, std::chrono::milliseconds(20)),
                  json::parse(R"({"nvml": "no answer"})"))
            << function;
    }
}

TEST_F(GpuFactsTest, the_facts_of_a_node_have_those_of_its_gpus) {
    setenv("RAILGAUGE_NVML", FAKE_NVML, 1);
    const json facts = json::parse(node_facts_json("n1", "boot", {}));
    EXPECT_EQ(facts["gpus"].size(), 2u);
    EXPECT_EQ(facts["gpu_driver"], "580.95.05");
    EXPECT_EQ(facts["hostname"], "n1");
}

TEST_F(GpuFactsTest, nvml_is_the_drivers_unless_it_is_named) {
    EXPECT_EQ(nvml_file(), "libnvidia-ml.so.1");
    setenv("RAILGAUGE_NVML", "/opt/other.so", 1);
    EXPECT_EQ(nvml_file(), "/opt/other.so");
}

}  // namespace
}  // namespace railgauge
