// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace railgauge {

std::string valid_site() {
    return R"(format = 1
name = "서울 2"
control_interface = "bond1"
planes = [{name = "A"}, {name = "B"}]
[[rails]]
index = 1
name = "rail 1"
plane = "B"
rate_gbit_per_s = 200
[[rails]]
index = 0
name = "rail 0"
plane = "A"
rate_gbit_per_s = 400
mtu_bytes = 9000
[[groups]]
name = "gpu"
hosts = ["gpu[01-04]", "노드[1-2].cluster.example"]
gpus = 8
ports = [
    {rail = 0, rdma = "mlx5_3", netdev = "rdma0"},
    {rail = 1, rdma = "mlx5_4", rate_gbit_per_s = 100, mtu_bytes = 4200},
]
[[groups]]
name = "storage"
hosts = ["storage1"]
ports = [{plane = "A", netdev = "rdma0", rate_gbit_per_s = 50.5}]
[[groups]]
name = "compute"
hosts = ["compute1"]
[[leaves]]
name = "leaf 1"
nodes = ["gpu[01-02]"]
rails = [0, 1]
[[leaves]]
name = "leaf 2"
nodes = ["storage1", "gpu03"]
planes = ["A"]
)";
}

std::string changed_site(std::string_view from, std::string_view to) {
    std::string text = valid_site();
    const std::size_t begin = text.find(from);
    if (begin == std::string::npos) throw std::logic_error("no such text in the site");
    return text.replace(begin, from.size(), to);
}

std::vector<std::filesystem::path> example_sites() {
    const auto folder = std::filesystem::path(RAILGAUGE_SOURCE_DIR) / "examples" / "sites";
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace railgauge
