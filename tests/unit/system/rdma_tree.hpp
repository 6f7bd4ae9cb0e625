// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

namespace railgauge {

/// A folder as /sys has it, below which tests write devices; removed at the end.
class RdmaTree {
  public:
    RdmaTree() {
        std::string name = (std::filesystem::temp_directory_path() / "rdma_tree.XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        root_ = name;
        std::filesystem::create_directories(root_ / "class/infiniband");
    }
    RdmaTree(const RdmaTree&) = delete;
    RdmaTree& operator=(const RdmaTree&) = delete;
    ~RdmaTree() {
        std::error_code ignored;
        std::filesystem::remove_all(root_, ignored);
    }

    std::filesystem::path path(const std::string& name) const { return root_ / name; }
    std::string class_folder() const { return path("class"); }
    std::filesystem::path port(const std::string& device) const {
        return path("class/infiniband/" + device + "/ports/1");
    }

    void write(const std::filesystem::path& name, const std::string& text) const {
        std::filesystem::create_directories((root_ / name).parent_path());
        std::ofstream(root_ / name, std::ios::binary) << text;
    }

    /// Files below a folder, each with its text and a line break.
    void write_all(const std::filesystem::path& folder,
                   const std::map<std::string, std::string>& texts) const {
        for (const auto& [name, text] : texts)
            write(folder / name, text + "\n");
    }

    void link(const std::string& name, const std::string& target) const {
        std::filesystem::create_directories((root_ / name).parent_path());
        std::filesystem::create_directories(root_ / target);
        const auto from = (root_ / name).parent_path();
        std::filesystem::create_symlink(std::filesystem::relative(root_ / target, from),
                                        root_ / name);
    }

    /// A PCI device below which `device` lies, with its driver.
    void place(const std::string& device, const std::string& pci, const std::string& driver) const {
        const std::string folder = "devices/pci0000:16/" + pci;
        link("class/infiniband/" + device + "/device", folder);
        link(folder + "/driver", "bus/pci/drivers/" + driver);
    }

  private:
    std::filesystem::path root_;
};

}  // namespace railgauge
