// SPDX-License-Identifier: Apache-2.0
#include "transport/ucx_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder that stands for /sys, with the RDMA device mlx5_0 and the interface eth0.
class UcxSettingsTest : public testing::Test {
  protected:
    UcxSettingsTest() {
        std::string name = (fs::temp_directory_path() / "railgauge-sys-XXXXXX").string();
        sys_ = mkdtemp(name.data());
        fs::create_directories(sys_ / "class/infiniband/mlx5_0/ports/1");
        fs::create_directories(sys_ / "class/net/eth0");
    }
    ~UcxSettingsTest() override { fs::remove_all(sys_); }

    /// The value of a setting, or "" where there is none.
    std::string value(const FabricOptions& options, const std::string& name) const {
        for (const UcxSetting& setting : ucx_settings(options, sys_)) {
            if (setting.name == name) return setting.value;
        }
        return "";
    }

    std::string refusal(const FabricOptions& options) const {
        try {
            static_cast<void>(ucx_settings(options, sys_));
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            return error.what();
        }
        return "";
    }

    fs::path sys_;
};

FabricOptions with_device(const std::string& device) {
    FabricOptions options;
    options.device = device;
    return options;
}

TEST_F(UcxSettingsTest, an_rdma_device_has_its_first_port_and_an_interface_its_name) {
    EXPECT_EQ(value(with_device("mlx5_0"), "NET_DEVICES"), "mlx5_0:1");
    EXPECT_EQ(value(with_device("mlx5_0:1"), "NET_DEVICES"), "mlx5_0:1");
    EXPECT_EQ(value(with_device("eth0"), "NET_DEVICES"), "eth0");
    EXPECT_EQ(value({}, "NET_DEVICES"), "");
}

TEST_F(UcxSettingsTest, a_device_that_is_not_there_is_refused) {
    for (const char* const name : {"mlx5_1", "mlx5_0:2", "mlx5_0:", "eth0:1", ":1", "../net/eth0",
                                   "mlx5_0:../1", "..", "eth0,lo"})
        EXPECT_THAT(refusal(with_device(name)), HasSubstr("there is no device ")) << name;
}

TEST_F(UcxSettingsTest, options_become_ucx_variables) {
    FabricOptions options;
    options.gid_index = 3;
    options.traffic_class = 106;
    options.service_level = 2;
    options.path_mtu = 1024;
    options.ucx_tls = "rc_verbs,self";
    EXPECT_EQ(value(options, "IB_GID_INDEX"), "3");
    EXPECT_EQ(value(options, "IB_TRAFFIC_CLASS"), "106");
    EXPECT_EQ(value(options, "IB_SL"), "2");
    EXPECT_EQ(value(options, "IB_PATH_MTU"), "1024");
    EXPECT_EQ(value(options, "TLS"), "rc_verbs,self");
}

TEST_F(UcxSettingsTest, what_is_left_to_ucx_is_not_set) {
    for (const char* const name :
         {"IB_GID_INDEX", "IB_TRAFFIC_CLASS", "IB_SL", "IB_PATH_MTU", "IB_TX_MIN_INLINE", "TLS"})
        EXPECT_EQ(value({}, name), "") << name;
}

TEST_F(UcxSettingsTest, repeats_are_as_with_verbs) {
    EXPECT_EQ(value({}, "RC_RETRY_COUNT"), "6");
    EXPECT_EQ(value({}, "RC_TIMEOUT"), "67108.86us");
    EXPECT_EQ(value({}, "UD_TIMEOUT"), "10s");
    FabricOptions options;
    options.ucx_tls = "ud_verbs,self";
    EXPECT_EQ(value(options, "RC_TIMEOUT"), "");
    EXPECT_EQ(value(options, "UD_TIMEOUT"), "10s");
}

TEST_F(UcxSettingsTest, what_is_of_rdma_is_neither_set_nor_taken_without_its_devices) {
    fs::remove_all(sys_ / "class/infiniband");
    EXPECT_TRUE(ucx_settings({}, sys_).empty());
    FabricOptions options;
    options.path_mtu = 1024;
    EXPECT_THAT(refusal(options),
                HasSubstr("--mtu 1024 is refused (this node has no RDMA device)"));
}

TEST_F(UcxSettingsTest, what_ucx_has_no_word_for_is_refused) {
    FabricOptions options;
    options.gid_kind = "ipv4";
    EXPECT_THAT(refusal(options), HasSubstr("use --gid-index"));
    options.gid_index = 1;
    EXPECT_EQ(refusal(options), "");
    options.pkey_index = 1;
    EXPECT_THAT(refusal(options), HasSubstr("UCX_IB_PKEY"));
}

}  // namespace
}  // namespace railgauge
