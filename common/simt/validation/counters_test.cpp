// Compares the simulator's counters with those that Nsight Compute read on an H200, case by case.

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/base/files.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/simt/simt.hpp"
#include "common/simt/validation/cases.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {

void PrintTo(const CounterCase& counter_case, std::ostream* out) { *out << counter_case.name; }

namespace {

using Count = std::int64_t;  // signed, because differences are formed

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> result;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) result.push_back(field);
  return result;
}

/// The values that collect_counters wrote, by case and metric.
using Table = std::map<std::string, std::map<std::string, Count>>;

Table read_table() {
  const auto path = core::project_root() / "common/simt/validation/testdata/h200_counters.csv";
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("cannot read " + path.string());
  const std::vector<std::string> header = fields(line);
  Table table;
  while (std::getline(file, line)) {
    const std::vector<std::string> row = fields(line);
    for (std::size_t i = 1; i < header.size(); ++i) {
      table[row.at(0)][header[i]] = std::stoll(row.at(i));
    }
  }
  return table;
}

const Table& h200() {
  static const Table table = read_table();
  return table;
}

Counters counted(const CounterCase& counter_case, const Watch& how) {
  cudaDeviceReset();
  use_device(core::gpu_profile("h200"));
  watch(how);
  EXPECT_EQ(counter_case.run(), cudaSuccess);
  watch({});
  const std::vector<KernelProfile> profiles = take_profiles();
  EXPECT_EQ(profiles.size(), 1u);
  return profiles.empty() ? Counters{} : profiles[0].counters;
}

/// A metric and the simulator's counter for it.
struct Column {
  const char* metric;
  std::uint64_t Counters::*counter;
};

const Column columns[] = {
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", &Counters::global_load_requests},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", &Counters::global_store_requests},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", &Counters::global_load_sectors},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", &Counters::global_store_sectors},
    {"smsp__sass_data_bytes_mem_global_op_ld.sum", &Counters::global_load_bytes},
    {"smsp__sass_data_bytes_mem_global_op_st.sum", &Counters::global_store_bytes},
    {"smsp__sass_inst_executed_op_shared_ld.sum", &Counters::shared_load_requests_merged},
    {"smsp__sass_inst_executed_op_shared_st.sum", &Counters::shared_store_requests},
};

/// Shared wavefronts, which Nsight Compute counts in two ways: in the hardware, where warps that
/// wait for each other add to the count, and from the addresses that an instrumented kernel
/// reports, by rules that overrate some conflicts of wide loads. The lower count has neither
/// excess.
struct Wavefronts {
  const char* of_hardware;
  const char* from_addresses;
  std::uint64_t Counters::*counter;
};

const Wavefronts wavefronts[] = {
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     &Counters::shared_load_wavefronts_merged},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     &Counters::shared_store_wavefronts},
};

class CountersOfCase : public ::testing::TestWithParam<CounterCase> {};

TEST_P(CountersOfCase, AreThoseOfAnH200) {
  ASSERT_TRUE(h200().count(GetParam().name)) << "no such row: run collect_counters again";
  const std::map<std::string, Count>& gpu = h200().at(GetParam().name);
  const Counters counters = counted(GetParam(), {.counters = true});
  for (const auto& [metric, counter] : columns) {
    EXPECT_EQ(static_cast<Count>(counters.*counter), gpu.at(metric)) << metric;
  }
  Count waited = 0;
  for (const auto& [of_hardware, from_addresses, counter] : wavefronts) {
    const Count simulated = static_cast<Count>(counters.*counter);
    const Count hardware = gpu.at(of_hardware);
    EXPECT_EQ(simulated, std::min(hardware, gpu.at(from_addresses))) << of_hardware;
    EXPECT_NEAR(simulated, hardware, 0.05 * hardware) << of_hardware;
    waited += hardware - simulated;
  }
  // The hardware also counts a wavefront that waited for another warp as a bank conflict.
  const Count conflicts = gpu.at("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum") +
                          gpu.at("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum");
  EXPECT_EQ(static_cast<Count>(counters.shared_bank_conflicts), conflicts - waited);
}

TEST_P(CountersOfCase, AreTheSameFromAFewBlocks) {
  const Counters all = counted(GetParam(), {.counters = true});
  const Counters few = counted(GetParam(), {.counters = true, .sample = true});
  for (const auto& [metric, counter] : columns) EXPECT_EQ(few.*counter, all.*counter) << metric;
  for (const auto& [metric, unused, counter] : wavefronts) {
    EXPECT_EQ(few.*counter, all.*counter) << metric;
  }
}

INSTANTIATE_TEST_SUITE_P(Simt, CountersOfCase, ::testing::ValuesIn(counter_cases()));

}  // namespace
}  // namespace tilewise::simt
