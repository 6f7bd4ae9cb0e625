// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "incast/connection.hpp"
#include "incast/plan.hpp"
#include "measure/workload.hpp"
#include "memory/memory_space.hpp"
#include "mpi/communicator.hpp"
#include "transport/transport.hpp"

namespace railgauge {

/// One rank's part in all cases. Cases share one allocation, large enough for this rank's part in
/// the largest of them.
///
/// When a connection fails, its other end hears of it, all others go on to the end, and the case
/// fails by that error. Where a transport cannot leave messages behind, the job ends then.
class IncastWorkload : public WindowWorkload {
  public:
    /// Collective over `comm`.
    /// @param plan,fleet outlive the workload; cases that need more than the share are skipped when
    ///        their turn comes
    IncastWorkload(MPI_Comm comm, std::unique_ptr<Transport> transport,
                   std::unique_ptr<MemorySpace> memory, const IncastPlan& plan, const Fleet& fleet,
                   MemoryShare share);
    ~IncastWorkload() override;

    void set_sign_of_life(const std::function<void()>& alive) override { alive_ = alive; }
    void prepare(const Case& c) override;
    int group() const override { return group_; }
    Traffic traffic() const override;
    std::vector<SampleColumn> columns() const override { return request_columns(common_); }
    void run(const Window& window, SampleSink& sink) override;

    /// Every slot's message once, from all senders at once; every byte is compared.
    CheckTally check() override;
    void close() override;

  private:
    int rank() const { return comm_.rank(); }
    void require_fit(const Cast& cast) const;
    void connect(const Case& c, const Cast& cast);
    void disconnect();
    RowSource rows_of(const Case& c, const Part& part) const;
    void run_until_over(std::int64_t end_ns);
    void name_missing() const;
    void raise_failure() const;

    Communicator comm_;
    std::unique_ptr<Transport> transport_;
    std::unique_ptr<MemorySpace> memory_;
    const IncastPlan& plan_;
    const Fleet& fleet_;
    MemoryShare share_;
    CommonCells common_;
    std::unique_ptr<RegisteredMemory> buffer_;
    std::function<void()> alive_ = [] {};
    int case_id_ = -1;
    int group_ = -1;
    IncastCall call_{};
    std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace railgauge
