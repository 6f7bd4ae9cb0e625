// SPDX-License-Identifier: Apache-2.0
#include "collective.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "corruption.hpp"
#include "errors.hpp"
#include "gpu_double.hpp"

namespace gpu_double {
namespace {

enum class Blocks { one, per_rank };
enum class Who { all, root };
enum class Arithmetic { none, reduces };

struct Shape {
    const char* name;
    Blocks given;
    Who gives;
    Blocks got;
    Who gets;
    Arithmetic arithmetic;
};

// In the order of CollectiveKind.
constexpr std::array shapes{
    Shape{"AllReduce", Blocks::one, Who::all, Blocks::one, Who::all, Arithmetic::reduces},
    Shape{"Reduce", Blocks::one, Who::all, Blocks::one, Who::root, Arithmetic::reduces},
    Shape{"Broadcast", Blocks::one, Who::root, Blocks::one, Who::all, Arithmetic::none},
    Shape{"AllGather", Blocks::one, Who::all, Blocks::per_rank, Who::all, Arithmetic::none},
    Shape{"ReduceScatter", Blocks::per_rank, Who::all, Blocks::one, Who::all, Arithmetic::reduces},
    Shape{"AlltoAll", Blocks::per_rank, Who::all, Blocks::per_rank, Who::all, Arithmetic::none},
    Shape{"Gather", Blocks::one, Who::all, Blocks::per_rank, Who::root, Arithmetic::none},
    Shape{"Scatter", Blocks::per_rank, Who::root, Blocks::one, Who::all, Arithmetic::none},
};

const Shape& shape_of(CollectiveKind kind) {
    return shapes[static_cast<std::size_t>(kind)];
}

std::size_t blocks(Blocks which, const ncclComm& communicator) {
    return which == Blocks::one ? 1 : static_cast<std::size_t>(communicator.ranks());
}

bool takes_part(Who who, int root, const ncclComm& communicator) {
    return who == Who::all || root == communicator.rank();
}

bool is_there(const void* pointer, std::size_t bytes) {
    return bytes == 0 || gpu_double_find(pointer, bytes) != nullptr;
}

class Run {
  public:
    Run(const Collective& what, ncclComm& communicator)
        : what_(what),
          shape_(shape_of(what.kind)),
          communicator_(communicator),
          me_(communicator.rank()),
          ranks_(communicator.ranks()),
          element_(element_bytes(what.type)),
          piece_(slot_bytes / element_ / blocks(shape_.given, communicator)) {}

    Outcome run(std::optional<Fault> fault);

  private:
    bool find_memory();
    bool find_reduction();
    bool all_do_the_same();
    Outcome exchange();
    void give();
    Outcome get();
    void reduce_block(char* into, std::size_t block, std::size_t first, std::size_t count);
    Outcome all_reduce();
    void take_blocks();

    const char* in(std::size_t block) const {
        return send_ + (block * what_.count + done_) * element_;
    }
    char* out(std::size_t block) const {
        return receive_ + (block * what_.count + done_) * element_;
    }
    char* slot(int rank, std::size_t block) const {
        return communicator_.segment().slot(rank) + block * piece_ * element_;
    }
    bool gives() const { return takes_part(shape_.gives, what_.root, communicator_); }
    bool gets() const { return takes_part(shape_.gets, what_.root, communicator_); }
    std::size_t result_count() const { return what_.count * blocks(shape_.got, communicator_); }

    const Collective& what_;
    const Shape& shape_;
    ncclComm& communicator_;
    const int me_;
    const int ranks_;
    const std::size_t element_;
    const std::size_t piece_;
    const char* send_ = nullptr;
    char* receive_ = nullptr;
    Reduction reduction_;
    // Elements of each block that are through, and in the present piece.
    std::size_t done_ = 0;
    std::size_t now_ = 0;
};

bool Run::find_memory() {
    const std::size_t given_bytes = what_.count * element_ * blocks(shape_.given, communicator_);
    const std::size_t got_bytes = result_count() * element_;
    if (gives()) send_ = static_cast<const char*>(gpu_double_find(what_.send, given_bytes));
    if (gets()) receive_ = static_cast<char*>(gpu_double_find(what_.receive, got_bytes));
    const bool missing = (gives() && send_ == nullptr) || (gets() && receive_ == nullptr);
    return what_.count == 0 || !missing;
}

bool Run::find_reduction() {
    if (what_.operation < ncclNumOps) {
        reduction_ = built_in(what_.operation, what_.type, ranks_);
        return true;
    }
    const auto custom = communicator_.find_operation(what_.operation);
    if (!custom) return false;
    Scalar factor{};
    if (const auto* immediate = std::get_if<Scalar>(&custom->factor)) {
        factor = *immediate;
    } else {
        const void* found = gpu_double_find(std::get<const void*>(custom->factor), element_);
        if (found == nullptr) return false;
        std::memcpy(factor.data(), found, element_);
    }
    reduction_ = {ncclSum, factor, 1};
    return true;
}

std::string words(const Description& description) {
    return std::string(shapes[static_cast<std::size_t>(description.kind)].name) + " of " +
           std::to_string(description.count) + " elements of type " +
           std::to_string(description.type) + ", operation " +
           std::to_string(description.reduction) + ", root " + std::to_string(description.root);
}

bool Run::all_do_the_same() {
    const Description& mine = communicator_.segment().member(me_).collective;
    for (int rank = 0; rank < ranks_; ++rank) {
        const Description& theirs = communicator_.segment().member(rank).collective;
        if (theirs == mine) continue;
        communicator_.raise(ncclInvalidUsage, "mismatch: rank " + std::to_string(me_) + " is in " +
                                                  words(mine) + ", rank " + std::to_string(rank) +
                                                  " in " + words(theirs));
        return false;
    }
    return true;
}

Outcome Run::run(std::optional<Fault> fault) {
    if (!find_memory() || !find_reduction()) {
        communicator_.raise(ncclUnhandledCudaError,
                            std::string(shape_.name) + ": its memory or operation is gone");
        return Outcome::stopped;
    }
    if (fault && communicator_.suffer(*fault, shape_.name) == Outcome::stopped)
        return Outcome::stopped;
    // Each rank's own factor is its own affair.
    const int operation = std::min<int>(what_.operation, ncclNumOps);
    communicator_.segment().member(me_).collective = {what_.count, static_cast<int>(what_.kind),
                                                      what_.type, operation, what_.root};
    if (exchange() == Outcome::stopped) return Outcome::stopped;
    if (fault && fault->kind == FaultKind::corrupt && gets())
        corrupt(receive_, result_count(), element_, static_cast<std::size_t>(fault->amount));
    return Outcome::done;
}

Outcome Run::exchange() {
    do {
        now_ = std::min(piece_, what_.count - done_);
        give();
        if (communicator_.meet() == Outcome::stopped) return Outcome::stopped;
        if (done_ == 0 && !all_do_the_same()) return Outcome::stopped;
        if (get() == Outcome::stopped) return Outcome::stopped;
        if (communicator_.meet() == Outcome::stopped) return Outcome::stopped;
        done_ += now_;
    } while (done_ < what_.count);
    return Outcome::done;
}

void Run::give() {
    if (now_ == 0 || !gives()) return;
    for (std::size_t block = 0; block < blocks(shape_.given, communicator_); ++block) {
        std::memcpy(slot(me_, block), in(block), now_ * element_);
        if (reduction_.scale) scale(slot(me_, block), now_, what_.type, *reduction_.scale);
    }
}

Outcome Run::get() {
    if (now_ == 0 || !gets()) return Outcome::done;
    if (what_.kind == CollectiveKind::all_reduce) return all_reduce();
    if (shape_.arithmetic == Arithmetic::none) {
        take_blocks();
    } else {
        const std::size_t mine =
            shape_.given == Blocks::per_rank ? static_cast<std::size_t>(me_) : 0;
        reduce_block(out(0), mine, 0, now_);
    }
    return Outcome::done;
}

void Run::take_blocks() {
    const std::size_t mine = shape_.given == Blocks::per_rank ? static_cast<std::size_t>(me_) : 0;
    for (std::size_t block = 0; block < blocks(shape_.got, communicator_); ++block) {
        const int from = shape_.got == Blocks::per_rank ? static_cast<int>(block) : what_.root;
        std::memcpy(out(block), slot(from, mine), now_ * element_);
    }
}

// `into` may be rank 0's part itself.
void Run::reduce_block(char* into, std::size_t block, std::size_t first, std::size_t count) {
    std::memmove(into, slot(0, block) + first * element_, count * element_);
    for (int rank = 1; rank < ranks_; ++rank)
        combine(into, slot(rank, block) + first * element_, count, what_.type, reduction_.basic);
    if (reduction_.divisor > 1) divide(into, count, what_.type, reduction_.divisor);
}

// Every rank reduces its share for all: the work of the machine stays proportional to the ranks.
Outcome Run::all_reduce() {
    const auto share_of = [this](int rank) {
        return now_ * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks_);
    };
    const std::size_t first = share_of(me_);
    const std::size_t count = share_of(me_ + 1) - first;
    reduce_block(out(0) + first * element_, 0, first, count);
    std::memcpy(slot(me_, 0) + first * element_, out(0) + first * element_, count * element_);
    if (communicator_.meet() == Outcome::stopped) return Outcome::stopped;
    for (int rank = 0; rank < ranks_; ++rank) {
        const std::size_t start = share_of(rank) * element_;
        std::memcpy(out(0) + start, slot(rank, 0) + start, share_of(rank + 1) * element_ - start);
    }
    return Outcome::done;
}

}  // namespace

ncclResult_t validate(const Collective& collective, const ncclComm& communicator) {
    const Shape& shape = shape_of(collective.kind);
    const std::string name = shape.name;
    if (collective.type < 0 || collective.type >= ncclNumTypes)
        return fail(ncclInvalidArgument, name + ": no such data type");
    if (collective.root < 0 || collective.root >= communicator.ranks())
        return fail(ncclInvalidArgument, name + ": no such root");
    if (collective.operation < 0 ||
        (collective.operation >= ncclNumOps && !communicator.find_operation(collective.operation)))
        return fail(ncclInvalidArgument, name + ": no such reduction operation");
    const std::size_t bytes = collective.count * element_bytes(collective.type);
    if (takes_part(shape.gives, collective.root, communicator) &&
        !is_there(collective.send, bytes * blocks(shape.given, communicator)))
        return fail(ncclInvalidArgument, name + ": the send buffer is not all device memory");
    if (takes_part(shape.gets, collective.root, communicator) &&
        !is_there(collective.receive, bytes * blocks(shape.got, communicator)))
        return fail(ncclInvalidArgument, name + ": the receive buffer is not all device memory");
    return ncclSuccess;
}

Outcome run(const Collective& collective, ncclComm& communicator, std::uint64_t sequence) {
    return Run(collective, communicator).run(communicator.faults().at(sequence));
}

}  // namespace gpu_double
