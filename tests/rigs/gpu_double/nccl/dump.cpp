// SPDX-License-Identifier: Apache-2.0
#include "dump.hpp"

#include <cstdlib>
#include <fstream>
#include <string>

namespace gpu_double {
namespace {

void write(const char* variable, const std::string& text) {
    const char* path = std::getenv(variable);
    if (path == nullptr) return;
    std::ofstream(path) << "<!-- railgauge GPU double: no hardware was looked at -->\n" << text;
}

std::string topology(int ranks) {
    std::string gpus;
    for (int rank = 0; rank < ranks; ++rank)
        gpus += "    <gpu dev=\"" + std::to_string(rank) + "\" sm=\"103\" rank=\"" +
                std::to_string(rank) + "\" gdr=\"0\"/>\n";
    return "<system version=\"1\">\n  <cpu numaid=\"0\" vendor=\"double\">\n" + gpus +
           "  </cpu>\n</system>\n";
}

std::string graph(int ranks) {
    std::string gpus;
    for (int rank = 0; rank < ranks; ++rank)
        gpus += "      <gpu dev=\"" + std::to_string(rank) + "\"/>\n";
    return "<graphs version=\"1\">\n  <graph id=\"0\" pattern=\"4\" nchannels=\"1\">\n    "
           "<channel>\n" +
           gpus + "    </channel>\n  </graph>\n</graphs>\n";
}

}  // namespace

void write_dumps(int ranks) {
    write("NCCL_TOPO_DUMP_FILE", topology(ranks));
    write("NCCL_GRAPH_DUMP_FILE", graph(ranks));
}

}  // namespace gpu_double
