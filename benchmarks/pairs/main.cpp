// SPDX-License-Identifier: Apache-2.0
#include "pairs/program.hpp"

int main(int argc, char** argv) {
    railgauge::PairsProgram program;
    return railgauge::run_program(argc, argv, program);
}
