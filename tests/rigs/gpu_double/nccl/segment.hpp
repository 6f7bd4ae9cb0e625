// SPDX-License-Identifier: Apache-2.0
// The memory that the ranks of a communicator share. A new file is all zero, which is every part's
// first state.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace gpu_double {

constexpr int most_ranks = 128;
constexpr std::size_t slot_bytes = std::size_t{256} << 10;
constexpr std::size_t letter_bytes = std::size_t{32} << 10;

struct Barrier {
    std::atomic<int> arrived;
    std::atomic<unsigned> phase;
};

// What a rank says of the collective it is in: all must say the same.
struct Description {
    std::uint64_t count;
    int kind;
    int type;
    int reduction;
    int root;
    bool operator==(const Description&) const = default;
};

struct Member {
    std::array<char, 64> host;
    std::array<char, 32> gpu;
    int color;
    int key;
    Description collective;
};

enum class Letterbox : int { empty, full, refused };

// One way between two ranks; a message goes through it in letters.
struct Mailbox {
    std::atomic<Letterbox> state;
    std::uint64_t message_bytes;
    std::uint64_t bytes;
    std::array<char, letter_bytes> data;
};

struct Header {
    std::atomic<int> ranks;
    Barrier control;
    Barrier data;
    std::array<Member, most_ranks> members;
    // Who has announced a first send to whom, and a first receive from whom.
    std::array<std::array<std::atomic<bool>, most_ranks>, most_ranks> sends;
    std::array<std::array<std::atomic<bool>, most_ranks>, most_ranks> receives;
};

enum class Outcome { done, stopped };

class Segment {
  public:
    // nullptr when the shared memory cannot be had.
    static std::unique_ptr<Segment> open(const std::string& name, int ranks);
    Segment(const Segment&) = delete;
    Segment& operator=(const Segment&) = delete;
    ~Segment();

    // False when another rank came with another number of ranks.
    bool agrees_on_ranks();
    void unlink() const;

    Outcome meet(Barrier& barrier, const std::atomic<bool>& stop);
    Header& header() { return *static_cast<Header*>(memory_); }
    Member& member(int rank) { return header().members[static_cast<std::size_t>(rank)]; }
    char* slot(int rank);
    Mailbox& mailbox(int from, int to);

  private:
    Segment(std::string name, int ranks, void* memory, std::size_t bytes)
        : name_(std::move(name)), ranks_(ranks), memory_(memory), bytes_(bytes) {}

    const std::string name_;
    const int ranks_;
    void* const memory_;
    const std::size_t bytes_;
};

}  // namespace gpu_double
