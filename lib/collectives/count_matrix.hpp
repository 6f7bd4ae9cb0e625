// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace railgauge {

/// Who sends whom how many elements in an alltoallv. Chunks lie in the buffers in the order of the
/// peers, without gaps.
class CountMatrix {
  public:
    /// @param counts row-major, shape (ranks, ranks): [sender][receiver]
    CountMatrix(std::size_t ranks, std::vector<std::size_t> counts);

    std::size_t ranks() const { return ranks_; }
    std::size_t count(std::size_t sender, std::size_t receiver) const {
        return counts_[sender * ranks_ + receiver];
    }

    /// Where the chunk for `receiver` begins in the sender's buffer.
    std::size_t send_offset(std::size_t sender, std::size_t receiver) const;
    /// Where the chunk of `sender` begins in the receiver's buffer.
    std::size_t receive_offset(std::size_t sender, std::size_t receiver) const;

    std::size_t sent(std::size_t sender) const { return send_offset(sender, ranks_); }
    std::size_t received(std::size_t receiver) const { return receive_offset(ranks_, receiver); }

    /// The most that any rank sends or receives.
    std::size_t most() const;

  private:
    std::size_t ranks_;
    std::vector<std::size_t> counts_;
};

/// How an alltoallv is spread: weights of every sender and receiver, as many as the ranks squared.
using Weights = std::vector<double>;

/// Weights 1 +- `spread`, evenly distributed, the same for the same seed everywhere.
/// @param spread 0 .. 1
Weights seeded_weights(std::size_t ranks, double spread, std::uint64_t seed);

/// Non-negative numbers, one row per sender; `#` begins a comment.
/// @throws Error(usage) when it cannot be read or is not ranks x ranks of such numbers
Weights read_weights(const std::filesystem::path& file, std::size_t ranks);

/// The largest counts in the proportion of the weights of which no rank sends or receives more than
/// `most` elements. All zero when not even the largest weight makes one element.
CountMatrix scale_to(const Weights& weights, std::size_t ranks, std::size_t most);

}  // namespace railgauge
