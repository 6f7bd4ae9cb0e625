// SPDX-License-Identifier: Apache-2.0
#include "injector.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <thread>

#include <unistd.h>

namespace railgauge::faults {
namespace {

/// The rank as launchers tell it: MPI_Init, too, can be broken. -1 = not launched by one.
int launched_rank() {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
        const char* value = std::getenv(name);
        if (value != nullptr) return std::atoi(value);
    }
    return -1;
}

/// A fault that is never applied would make a test pass for nothing, so mistakes end the process.
[[noreturn]] void refuse(const std::string& reason) {
    std::fprintf(stderr, "mpi_faults: RG_FAULT: %s\n", reason.c_str());
    std::_Exit(2);
}

std::vector<Fault> read_faults() {
    const char* text = std::getenv("RG_FAULT");
    if (text == nullptr) return {};
    try {
        std::vector<Fault> faults = parse_faults(text);
        for (const Fault& fault : faults) {
            if (!is_interposed(fault.function)) {
                refuse("'" + fault.function + "' is not interposed");
            }
        }
        return faults;
    } catch (const std::exception& error) {
        refuse(error.what());
    }
}

/// Read before main, so that a mistake shows even if the function is never called.
const std::vector<Fault> all_faults = read_faults();

/// Sleeps: a rank that hangs outside MPI uses no CPU.
[[noreturn]] void hang() {
    while (true)
        ::pause();
}

void apply_before(const Fault& fault) {
    switch (fault.action) {
        case Action::hang_before: hang();
        case Action::die: std::raise(SIGKILL); break;
        case Action::stop: std::raise(SIGSTOP); break;
        default: break;
    }
}

void flip_bit(Received received) {
    if (received.bytes == 0) return;
    static_cast<unsigned char*>(received.data)[received.bytes / 2] ^= 1U;
}

}  // namespace

Injector::Injector(const char* function) {
    const int rank = launched_rank();
    for (const Fault& fault : all_faults) {
        if (fault.rank == rank && fault.function == function) faults_.push_back(fault);
    }
}

std::uint64_t Injector::before() {
    const std::uint64_t call = ++calls_;
    for (const Fault& fault : faults_) {
        if (fault.action == Action::slow && call >= fault.call) {
            std::this_thread::sleep_for(std::chrono::milliseconds(fault.delay_ms));
        }
        if (call == fault.call) apply_before(fault);
    }
    return call;
}

void Injector::after(std::uint64_t call, Received received) {
    for (const Fault& fault : faults_) {
        if (call != fault.call) continue;
        if (fault.action == Action::hang_after) hang();
        if (fault.action == Action::corrupt) flip_bit(received);
    }
}

}  // namespace railgauge::faults
