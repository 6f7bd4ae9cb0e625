// SPDX-License-Identifier: Apache-2.0
#include "mpi/gather_texts.hpp"

#include <cstdint>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "mpi/check.hpp"

namespace railgauge {
namespace {

constexpr const char* gathering = "gathering texts";

}  // namespace

std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& text) {
    int rank = 0;
    int size = 0;
    check_mpi(MPI_Comm_rank(comm, &rank), gathering);
    check_mpi(MPI_Comm_size(comm, &size), gathering);
    const auto length = static_cast<int>(text.size());
    std::vector<int> lengths(rank == 0 ? static_cast<std::size_t>(size) : 0);
    check_mpi(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm), gathering);
    std::vector<int> offsets(lengths.size());
    const std::int64_t total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    if (total > std::numeric_limits<int>::max()) {
        throw Error(ExitCode::library, "the facts of all ranks are longer than 2 GiB",
                    "one MPI_Gatherv cannot take them", "use fewer ranks");
    }
    std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
    std::string all(static_cast<std::size_t>(total), '\0');
    check_mpi(MPI_Gatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                          MPI_CHAR, 0, comm),
              gathering);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        texts.push_back(
            all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(lengths[i])));
    }
    return texts;
}

std::string broadcast_text(MPI_Comm comm, int root, std::string text) {
    auto length = static_cast<int>(text.size());
    check_mpi(MPI_Bcast(&length, 1, MPI_INT, root, comm), "broadcasting a text");
    text.resize(static_cast<std::size_t>(length));
    check_mpi(MPI_Bcast(text.data(), length, MPI_CHAR, root, comm), "broadcasting a text");
    return text;
}

}  // namespace railgauge
