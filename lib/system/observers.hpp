// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "measure/observer.hpp"

namespace railgauge {

/// Bytes, packets, errors and drops of every network interface, from /proc/net/dev (its own network
/// namespace).
std::unique_ptr<CaseObserver> make_netdev_observer();

/// CPU time by class (in ticks of 1/100 s), context switches, interrupts and softirqs from
/// /proc/stat; the load average as a gauge.
std::unique_ptr<CaseObserver> make_cpu_observer();

/// Counters of every port of every RDMA device below `<class_folder>/infiniband`: hw_counters as
/// source "rdma_hw" (those of a whole device with port -1), counters as "rdma". Nothing where the
/// kernel has no RDMA.
std::unique_ptr<CaseObserver> make_rdma_observer(const std::string& class_folder = "/sys/class");

/// The observers every program runs with.
std::vector<std::unique_ptr<CaseObserver>> make_default_observers();

/// Counters in the text of /proc/net/dev; malformed lines are left out.
std::vector<CounterReading> parse_netdev(std::string_view text);

/// Counters in the text of /proc/stat; malformed lines are left out.
std::vector<CounterReading> parse_cpu(std::string_view text);

}  // namespace railgauge
