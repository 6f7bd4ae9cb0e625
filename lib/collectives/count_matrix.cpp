// SPDX-License-Identifier: Apache-2.0
#include "collectives/count_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace railgauge {
namespace {

constexpr std::size_t most_file_bytes = std::size_t{1} << 26;
/// So that sums of them are numbers.
constexpr double largest_weight = 1e30;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
    throw Error(ExitCode::usage, fmt::format("'{}' is no matrix of this job", file.native()), why,
                "give one line per sender with one non-negative number per receiver");
}

std::vector<double> parse_row(const std::filesystem::path& file, std::size_t line,
                              const std::string& text) {
    std::vector<double> row;
    std::istringstream words(text.substr(0, text.find('#')));
    for (std::string word; words >> word;) {
        char* end = nullptr;
        const double weight = std::strtod(word.c_str(), &end);
        if (*end != '\0' || !(weight >= 0 && weight <= largest_weight))
            refuse(file, fmt::format("line {}: '{:.40}' is no weight from 0 to {:g}", line,
                                     printable_utf8(word), largest_weight));
        row.push_back(weight);
    }
    return row;
}

/// The largest sum of a row or a column.
template <class Cell>
double largest_sum(std::size_t ranks, Cell cell) {
    double largest = 0;
    for (std::size_t i = 0; i < ranks; ++i) {
        double row = 0;
        double column = 0;
        for (std::size_t j = 0; j < ranks; ++j) {
            row += cell(i, j);
            column += cell(j, i);
        }
        largest = std::max({largest, row, column});
    }
    return largest;
}

}  // namespace

CountMatrix::CountMatrix(std::size_t ranks, std::vector<std::size_t> counts)
    : ranks_(ranks), counts_(std::move(counts)) {}

std::size_t CountMatrix::send_offset(std::size_t sender, std::size_t receiver) const {
    std::size_t offset = 0;
    for (std::size_t peer = 0; peer < receiver; ++peer)
        offset += count(sender, peer);
    return offset;
}

std::size_t CountMatrix::receive_offset(std::size_t sender, std::size_t receiver) const {
    std::size_t offset = 0;
    for (std::size_t peer = 0; peer < sender; ++peer)
        offset += count(peer, receiver);
    return offset;
}

std::size_t CountMatrix::most() const {
    std::size_t most = 0;
    for (std::size_t rank = 0; rank < ranks_; ++rank)
        most = std::max({most, sent(rank), received(rank)});
    return most;
}

Weights seeded_weights(std::size_t ranks, double spread, std::uint64_t seed) {
    // The standard fixes the engine's numbers, not those of its distributions.
    std::mt19937_64 random(seed);
    Weights weights(ranks * ranks);
    for (double& weight : weights) {
        const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
        weight = 1 + spread * (2 * unit - 1);
    }
    return weights;
}

Weights read_weights(const std::filesystem::path& file, std::size_t ranks) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    std::ifstream stream(file);
    if (error || !stream) refuse(file, "it cannot be read");
    if (size > most_file_bytes) refuse(file, "it is larger than 64 MiB");
    Weights weights;
    std::size_t rows = 0;
    std::size_t line = 0;
    for (std::string text; std::getline(stream, text);) {
        const std::vector<double> row = parse_row(file, ++line, text);
        if (row.empty()) continue;
        if (row.size() != ranks || ++rows > ranks) {
            refuse(file, fmt::format("line {} has {} numbers and is row {}, the job has {} ranks",
                                     line, row.size(), rows, ranks));
        }
        weights.insert(weights.end(), row.begin(), row.end());
    }
    if (std::all_of(weights.begin(), weights.end(), [](double weight) { return weight == 0; }))
        refuse(file, "all of its weights are 0");
    if (rows != ranks) refuse(file, fmt::format("it has {} rows, the job {} ranks", rows, ranks));
    return weights;
}

CountMatrix scale_to(const Weights& weights, std::size_t ranks, std::size_t most) {
    const double sum =
        largest_sum(ranks, [&](std::size_t i, std::size_t j) { return weights[i * ranks + j]; });
    std::vector<std::size_t> counts(weights.size(), 0);
    for (std::size_t i = 0; sum > 0 && i < counts.size(); ++i) {
        counts[i] =
            static_cast<std::size_t>(std::floor(weights[i] / sum * static_cast<double>(most)));
    }
    return {ranks, std::move(counts)};
}

}  // namespace railgauge
