// SPDX-License-Identifier: Apache-2.0
#include "pairs/program.hpp"
#include "pairs/serve.hpp"

int main(int argc, char** argv) {
    if (railgauge::is_serving(argc, argv)) return railgauge::run_server(argc, argv);
    railgauge::PairsProgram program;
    return railgauge::run_program(argc, argv, program);
}
