// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "mpi/team.hpp"
#include "program/job_site.hpp"

namespace railgauge {
namespace {

constexpr const char* text = R"(format = 1
name = "서울"
control_interface = "eth0"
planes = [{name = "A"}]
rails = [{index = 0, name = "rail 0", plane = "A", rate_gbit_per_s = 100}]
groups = [{name = "nodes", hosts = ["n[0-3]"], ports = [{rail = 0, netdev = "rail0"}]}]
)";

/// A site file that only rank 0 has: the other ranks have no file of that name.
class JobSiteTest : public testing::Test {
  protected:
    JobSiteTest()
        : path_(std::filesystem::temp_directory_path() /
                ("사이트-" + std::to_string(::getpid()) + ".toml")) {}
    ~JobSiteTest() override { std::filesystem::remove(path_); }

    /// @param launched_rank as the launcher may have said it, rightly or not
    JobSite share(const std::string& content, int launched_rank) {
        if (team_.rank() == 0) std::ofstream(path_) << content;
        return share_job_site(MPI_COMM_WORLD, team_, read_job_site(path_, launched_rank), path_);
    }

    MpiTeam team_{MPI_COMM_WORLD, "노드"};
    std::filesystem::path path_;
};

TEST_F(JobSiteTest, is_the_same_on_every_rank) {
    const JobSite site = share(text, team_.rank());
    EXPECT_EQ(site.text, text);
    ASSERT_TRUE(site.site);
    EXPECT_EQ(site.site->name, "서울");
    EXPECT_EQ(site.site->rail_of_device("n3", "rail0"), 0);
}

TEST_F(JobSiteTest, is_read_by_rank_0_even_if_the_launcher_said_nothing_or_something_wrong) {
    EXPECT_TRUE(share(text, -1).site);
    EXPECT_TRUE(share(text, team_.rank() + 1).site);
}

// A rank that went on would wait for the others for ever.
TEST_F(JobSiteTest, with_a_mistake_ends_all_ranks_alike) {
    try {
        share("format = 1\nformat = 2\n", team_.rank());
        FAIL() << "rank " << team_.rank() << " went on";
    } catch (const AgreedError& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_NE(std::string(error.what()).find(".toml:2: this is no TOML"), std::string::npos)
            << error.what();
    }
}

TEST_F(JobSiteTest, that_cannot_be_read_ends_all_ranks_alike) {
    EXPECT_THROW(share_job_site(MPI_COMM_WORLD, team_, read_job_site(path_, team_.rank()), path_),
                 AgreedError);
}

TEST_F(JobSiteTest, is_empty_without_a_file) {
    const JobSite none = share_job_site(MPI_COMM_WORLD, team_, read_job_site("", team_.rank()), "");
    EXPECT_FALSE(none.site);
    EXPECT_TRUE(none.text.empty());
}

}  // namespace
}  // namespace railgauge
