// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <mpi.h>

namespace railgauge {

/// What the two ends of a flow tell each other.
enum class Word : std::uint64_t {
    ready,  ///< receives are posted: a check round may begin
    done,   ///< all requests of the window are finished; their number follows
    taken,  ///< and all of them have arrived
    failed  ///< this end gave up
};

/// A line between two ranks beside the measured channel: MPI's messages. It is quiet while requests
/// are under way, so that no transport has to spare a queue for it.
///
/// Neither tell() nor heard() waits for the peer, except that tell() waits until the word before
/// has left. Words of another case are not heard.
class Line {
  public:
    /// Listens at once.
    Line(MPI_Comm comm, int peer, int case_id);
    ~Line();
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    /// @throws StrandedError naming the peer, as heard()
    void tell(Word word, std::uint64_t number = 0);

    /// What the peer has told, each word once and in its order.
    std::optional<Word> heard();

    /// What followed the word heard last.
    std::uint64_t number() const { return heard_number_; }

  private:
    using Told = std::array<std::uint64_t, 3>;  ///< case, word, number

    void listen();
    void check(int result) const;

    MPI_Comm comm_;
    int peer_;
    std::uint64_t case_id_;
    Told outgoing_{};
    Told incoming_{};
    std::uint64_t heard_number_ = 0;
    MPI_Request telling_ = MPI_REQUEST_NULL;
    MPI_Request listening_ = MPI_REQUEST_NULL;
};

}  // namespace railgauge
