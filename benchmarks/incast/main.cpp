// SPDX-License-Identifier: Apache-2.0
#include "incast/program.hpp"

int main(int argc, char** argv) {
    railgauge::IncastProgram program;
    return railgauge::run_program(argc, argv, program);
}
