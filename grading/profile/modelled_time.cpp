#include "grading/profile/modelled_time.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "common/base/language.hpp"
#include "common/gpu/capability.hpp"

namespace tilewise::grading {

std::size_t shared_bytes(const KernelProfile& kernel, const core::GpuProfile& gpu) {
  return kernel.static_shared_bytes + kernel.launch.dynamic_shared_bytes +
         model::arguments_in_shared(gpu, kernel.launch.argument_bytes);
}

model::Occupancy occupancy_of(const KernelProfile& kernel, const core::GpuProfile& gpu,
                              int registers_per_thread) {
  const auto& block = kernel.launch.block;
  model::LaunchNeeds needs;
  // No GPU takes as many threads; a forged launch could name more than an int holds.
  constexpr std::uint64_t many = 1 << 20;
  needs.threads_per_block =
      static_cast<int>(std::min(std::uint64_t{block[0]} * block[1] * block[2], many));
  needs.registers_per_thread = registers_per_thread;
  needs.shared_bytes_per_block = shared_bytes(kernel, gpu);
  needs.blocks = kernel.blocks;
  return model::occupancy(gpu, needs);
}

std::string limiter_of(const model::Occupancy& occupancy) {
  return fmt::format("{}", fmt::join(occupancy.limited_by, " and "));
}

std::string limiter_in_words(const model::Occupancy& occupancy) {
  std::vector<std::string> words;
  for (const std::string& name : occupancy.limited_by) words.push_back(core::in_language(name));
  return fmt::format("{}", fmt::join(words, tr(" and ")));
}

namespace {

/// No GPU takes as many threads; a forged launch could name more than an int holds.
constexpr std::uint64_t many = 1 << 20;

std::uint64_t threads_of(const KernelProfile& kernel) {
  const auto& block = kernel.launch.block;
  return std::clamp<std::uint64_t>(std::uint64_t{block[0]} * block[1] * block[2], 1, many);
}

int estimated_registers(const model::KernelWork& work, const core::GpuProfile& gpu) {
  const core::Capability& capability = core::capability_of(gpu);
  const core::Capability::Registers& rule = capability.registers;
  const int most_of_a_thread = capability.allocation.most_registers_per_thread;
  // A kernel that only moves elements holds several of them in registers at a time if the compiler
  // groups loads.
  const bool holds_results = work.operations > 0 || rule.as_of_today;
  const double results = holds_results ? model::results_at_a_time(work) : 1;
  const double words = work.double_precision ? 2 : 1;
  const double wanted =
      std::min(rule.for_addresses + rule.for_a_result * words * results, double(most_of_a_thread));
  const int rounded = (static_cast<int>(wanted) + rule.step - 1) / rule.step * rule.step;
  const int for_a_block = gpu.registers_per_sm / work.threads_per_block;
  return std::max(1, std::min({rounded, most_of_a_thread, for_a_block}));
}

/// The time of a call's arithmetic, if nothing else took time.
struct ArithmeticTime {
  double ms = 0;
  double warp_instructions = 0;
  const char* name = "";
};

/// Returns the multiply-adds of all kernels that tensor cores do not execute.
double multiply_adds_of_lanes(const ProfileReport& report) {
  double by_tensor_cores = 0;
  for (const KernelProfile& kernel : report.kernels) {
    const simt::Counters& counters = kernel.counters;
    by_tensor_cores +=
        static_cast<double>(counters.tensor_half_products + counters.tensor_tf32_products +
                            counters.tensor_double_products + counters.tensor_integer_products);
  }
  return std::max(0.0, report.operations / 2 - by_tensor_cores);
}

/// Returns nothing on a GPU without such arithmetic.
std::optional<ArithmeticTime> arithmetic_of(const ProfileReport& report) {
  constexpr double lanes_per_warp = 32;
  const core::GpuProfile& gpu = report.gpu;
  const int lanes = report.double_precision ? gpu.fp64_lanes_per_sm : gpu.fp32_lanes_per_sm;
  if (lanes == 0) return std::nullopt;
  const double multiply_adds = multiply_adds_of_lanes(report);
  return ArithmeticTime{multiply_adds / (double(lanes) * gpu.sms * gpu.clock_mhz * 1e3),
                        multiply_adds / lanes_per_warp,
                        report.double_precision ? "FP64 arithmetic" : "FP32 arithmetic"};
}

/// Returns all parts of the work that do not depend on registers.
model::KernelWork counted_work(const KernelProfile& kernel, const ProfileReport& report) {
  const simt::Counters& counters = kernel.counters;
  model::KernelWork work;
  work.blocks_x = kernel.launch.grid[0];
  work.blocks_y = std::uint64_t{kernel.launch.grid[1]} * kernel.launch.grid[2];
  work.threads_per_block = static_cast<int>(threads_of(kernel));
  work.shared_bytes_per_block = shared_bytes(kernel, report.gpu);
  // If there are several kernels, it is unknown how much each of them computes.
  work.operations = report.launches == 1 ? report.operations : 0;
  work.double_precision = report.double_precision;
  const auto count = [](std::uint64_t value) { return static_cast<double>(value); };
  work.global_load_requests = count(counters.global_load_requests);
  work.global_load_sectors = count(counters.global_load_sectors);
  work.global_load_bytes = count(counters.global_load_bytes);
  work.global_store_requests = count(counters.global_store_requests);
  work.global_store_sectors = count(counters.global_store_sectors);
  work.global_store_bytes = count(counters.global_store_bytes);
  work.shared_load_requests = count(counters.shared_load_requests_merged);
  work.shared_load_wavefronts = count(counters.shared_load_wavefronts_merged);
  work.shared_store_requests = count(counters.shared_store_requests);
  work.shared_store_wavefronts = count(counters.shared_store_wavefronts);
  work.shared_bytes = count(counters.shared_load_bytes + counters.shared_store_bytes);
  work.shared_lane_bytes =
      count(counters.shared_load_lane_bytes + counters.shared_store_lane_bytes);
  work.tensor_instructions = count(counters.tensor_instructions);
  work.tensor_half_products = count(counters.tensor_half_products);
  work.tensor_tf32_products = count(counters.tensor_tf32_products);
  work.tensor_double_products = count(counters.tensor_double_products);
  work.tensor_integer_products = count(counters.tensor_integer_products);
  work.global_atomic_requests = count(counters.global_atomic_requests);
  work.global_atomic_sectors = count(counters.global_atomic_sectors);
  work.global_atomic_bytes = count(counters.global_atomic_bytes);
  work.global_atomic_passes = count(counters.global_atomic_passes);
  work.shared_atomic_requests = count(counters.shared_atomic_requests);
  work.shared_atomic_wavefronts = count(counters.shared_atomic_wavefronts);
  work.constant_passes = count(counters.constant_passes);
  work.barriers = count(counters.barriers);
  work.shuffles = count(counters.shuffles);
  const simt::Footprint& block = kernel.footprint;
  work.block = {.load_sectors = count(block.load_sectors),
                .shared_along_x = count(std::min(block.shared_along_x, block.load_sectors)),
                .shared_along_y = count(std::min(block.shared_along_y, block.load_sectors)),
                .store_sectors = count(block.store_sectors),
                .store_bytes = count(block.store_bytes),
                .load_lines = count(block.load_lines),
                .store_lines = count(block.store_lines),
                .load_intervals = count(block.load_intervals),
                .waiting_intervals = count(block.waiting_intervals),
                .store_rounds = count(block.store_rounds)};
  return work;
}

}  // namespace

Registers registers_of(const KernelProfile& kernel, const ProfileReport& report) {
  const int estimate = estimated_registers(counted_work(kernel, report), report.gpu);
  // The launch names a template with the arguments as written, "matmul_kernel<Tile>". If several
  // instances have the same shared memory, the one nearest to the estimate is the likeliest.
  const std::string name = kernel.launch.kernel.substr(0, kernel.launch.kernel.find('<'));
  const int most = report.gpu.registers_per_sm / static_cast<int>(threads_of(kernel));
  std::optional<Registers> nearest;
  for (const CompiledKernel& compiled : report.compiled) {
    const int registers = compiled.registers_per_thread;
    if (compiled.name != name || compiled.static_shared_bytes != kernel.static_shared_bytes ||
        registers > most) {
      continue;
    }
    if (!nearest || std::abs(registers - estimate) < std::abs(nearest->per_thread - estimate)) {
      nearest = Registers{registers, true, compiled.local_bytes_per_thread > 0};
    }
  }
  return nearest.value_or(Registers{estimate, false, true});
}

model::KernelWork work_of(const KernelProfile& kernel, const ProfileReport& report) {
  model::KernelWork work = counted_work(kernel, report);
  const Registers registers = registers_of(kernel, report);
  work.registers_per_thread = registers.per_thread;
  if (registers.may_spill) {
    work.spilled_words = model::spilled_words(work, core::capability_of(report.gpu));
  }
  work.partition_imbalance = partition_imbalance(kernel, report.gpu, registers.per_thread);
  return work;
}

bool has_footprint(const KernelProfile& kernel) {
  return kernel.footprint.load_sectors + kernel.footprint.store_sectors > 0;
}

std::optional<model::KernelTime> modelled_time(const KernelProfile& kernel,
                                               const ProfileReport& report) {
  const bool moved_nothing = kernel.counters.global_load_requests +
                                 kernel.counters.global_store_requests +
                                 kernel.counters.global_atomic_requests ==
                             0;
  if (!has_footprint(kernel) && !moved_nothing) return std::nullopt;
  try {
    return model::kernel_time(report.gpu, work_of(kernel, report));
  } catch (const std::invalid_argument&) {  // the kernel cannot run there
    return std::nullopt;
  }
}

std::optional<model::KernelMetrics> metrics_of(const KernelProfile& kernel,
                                               const ProfileReport& report) {
  const auto time = modelled_time(kernel, report);
  if (!time) return std::nullopt;
  return model::kernel_metrics(report.gpu, work_of(kernel, report), *time);
}

std::optional<model::KernelMetrics> metrics_of_call(const ProfileReport& report) {
  if (report.kernels.empty() || std::ssize(report.kernels) < report.launches) return std::nullopt;
  model::KernelMetrics call;
  double ms = 0;
  for (const KernelProfile& kernel : report.kernels) {
    const auto time = modelled_time(kernel, report);
    if (!time) return std::nullopt;
    const model::KernelMetrics metrics =
        model::kernel_metrics(report.gpu, work_of(kernel, report), *time);
    ms += time->ms;
    for (const model::NamedMetric& metric : model::all_metrics) {
      double& so_far = call.*metric.value;
      const double value = metrics.*metric.value;
      so_far += metric.adds_up ? value : (value - so_far) * time->ms / ms;  // a running mean
    }
  }
  if (report.launches > 1) {
    (report.double_precision ? call.flop_count_dp : call.flop_count_sp) =
        2 * multiply_adds_of_lanes(report);
    const double bytes = call.dram_read_bytes + call.dram_write_bytes;
    call.flop_per_dram_byte = bytes > 0 ? report.operations / bytes : 0;
  }
  return call;
}

std::optional<CallTime> modelled_call(const ProfileReport& report) {
  if (report.kernels.empty() || std::ssize(report.kernels) < report.launches) return std::nullopt;
  CallTime call;
  double bytes = 0, instructions = 0, longest_ms = 0;
  for (const KernelProfile& kernel : report.kernels) {
    const auto time = modelled_time(kernel, report);
    if (!time) return std::nullopt;
    call.ms += time->ms;
    bytes += time->gb_s * time->ms;
    instructions += time->warp_instructions;
    if (time->ms < longest_ms) continue;
    longest_ms = time->ms;
    call.limiter = time->limiter;
    call.occupancy_pct = time->occupancy_pct;
  }
  if (report.launches > 1 && report.operations > 0) {
    const auto arithmetic = arithmetic_of(report);
    if (!arithmetic) return std::nullopt;
    instructions += arithmetic->warp_instructions;
    if (arithmetic->ms > call.ms) {
      call.ms = arithmetic->ms;
      call.limiter = arithmetic->name;
    }
  }
  call.gflops = report.operations / call.ms * 1e-6;
  call.gb_s = bytes / call.ms;
  call.gips = instructions / call.ms * 1e-6;
  return call;
}

}  // namespace tilewise::grading
