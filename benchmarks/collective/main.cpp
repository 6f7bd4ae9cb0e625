// SPDX-License-Identifier: Apache-2.0
#include "collective/program.hpp"

int main(int argc, char** argv) {
    railgauge::CollectiveProgram program;
    return railgauge::run_program(argc, argv, program);
}
