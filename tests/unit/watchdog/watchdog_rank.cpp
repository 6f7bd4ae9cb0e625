// SPDX-License-Identifier: Apache-2.0
// A rank without MPI: a process with a Watchdog that plays a script.
//
//   watchdog_rank RANK SIZE DEADLINE_MS FOLDER COMMAND...
//
// Commands: phase=NAME case=N enter=K leave=K (where the rank is), connect plan fail close (calls
// of the watchdog), tick=MS (works, getting on), spin=MS (works, not getting on), wait (for ever),
// stop die exit=N, joined (wait until the board knows all), file=NAME (wait for the file NAME in
// FOLDER), touch=NAME.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include <unistd.h>

#include "watchdog/watchdog.hpp"

namespace {

using namespace railgauge;
using std::chrono::milliseconds;

Phase phase_of(const std::string& name) {
    for (int i = 0; i <= static_cast<int>(Phase::finalize); ++i) {
        if (to_text(static_cast<Phase>(i)) == name) return static_cast<Phase>(i);
    }
    std::fprintf(stderr, "no phase '%s'\n", name.c_str());
    std::exit(99);
}

class Rank {
  public:
    Rank(int rank, int size, Watchdog::Options options, std::filesystem::path folder)
        : rank_(rank),
          size_(size),
          folder_(std::move(folder)),
          watchdog_(progress_, std::move(options)) {}

    void play(const std::string& command) {
        const std::size_t equals = command.find('=');
        const std::string verb = command.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : command.substr(equals + 1);
        if (verb == "phase")
            progress_.set(phase_of(value));
        else if (verb == "case")
            progress_.set(Phase::prepare, std::stoi(value));
        else if (verb == "enter")
            progress_.enter(std::stoull(value));
        else if (verb == "leave")
            progress_.leave(std::stoull(value));
        else if (verb == "file")
            wait_for(folder_ / value);
        else if (verb == "joined")
            wait_until_all_have_joined();
        else if (verb == "touch")
            std::ofstream(folder_ / value).flush();
        else if (verb == "tick" || verb == "spin")
            work(std::stoi(value), verb == "tick");
        else
            act(verb, value);
    }

  private:
    void act(const std::string& verb, const std::string& value) {
        if (verb == "connect")
            watchdog_.connect(rank_, size_, rank_ == 0 ? watchdog_.board_address() : "");
        else if (verb == "plan")
            watchdog_.set_plan("5eed", {{"case/영", "all_reduce", 1024}});
        else if (verb == "fail")
            watchdog_.announce_failure();
        else if (verb == "close")
            watchdog_.close();
        else if (verb == "stop")
            std::raise(SIGSTOP);
        else if (verb == "die")
            std::raise(SIGKILL);
        else if (verb == "exit")
            ::_exit(std::stoi(value));
        else if (verb == "wait")
            while (true)
                ::pause();
        else
            std::exit(99);
    }

    static void wait_for(const std::filesystem::path& file) {
        while (!std::filesystem::exists(file))
            std::this_thread::sleep_for(milliseconds{5});
    }

    /// Rank 0 removes the rendezvous file when every rank has reported.
    void wait_until_all_have_joined() {
        if (rank_ == 0) std::ofstream(folder_ / "board is open").flush();
        wait_for(folder_ / "board is open");
        while (std::filesystem::exists(folder_ / "run.h5.board")) {
            std::this_thread::sleep_for(milliseconds{5});
        }
    }

    void work(int ms, bool gets_on) {
        const auto end = std::chrono::steady_clock::now() + milliseconds{ms};
        while (std::chrono::steady_clock::now() < end) {
            if (gets_on) progress_.tick();
            if (gets_on) std::this_thread::sleep_for(milliseconds{5});
        }
    }

    int rank_;
    int size_;
    std::filesystem::path folder_;
    Progress progress_;
    Watchdog watchdog_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) return 99;
    const std::filesystem::path folder = argv[4];
    Watchdog::Options options;
    options.program = "railgauge-test";
    options.rank = std::atoi(argv[1]);
    options.size = std::atoi(argv[2]);
    options.host = std::string("노드") + argv[1];
    options.deadline = milliseconds{std::atoi(argv[3])};
    options.control_interface = "lo";
    options.rendezvous = folder / "run.h5.board";
    options.expired_report = folder / "run.h5.parts" / "expired.json";
    options.schema = "railgauge/1";
    options.wait_until_idle = [](int) { return true; };
    Rank rank(options.rank, options.size, options, folder);
    for (int i = 5; i < argc; ++i)
        rank.play(argv[i]);
    return 0;
}
