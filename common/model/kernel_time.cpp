#include "common/model/kernel_time.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <stdexcept>
#include <tuple>

#include "common/model/occupancy.hpp"

namespace tilewise::model {

namespace {

/// Microseconds from a launch to its first instruction, and from its last instruction to the event
/// behind it; about what an empty kernel takes on any of the cards.
constexpr double launch_us = 3;

/// A load whose value the block needs only after the next barrier has mostly arrived by then; this
/// share of its latency still shows.
constexpr double prefetched_share = 0.3;

/// The most sums that a thread builds up side by side; more than the depth of the pipeline do not
/// help.
constexpr double most_chains = 8;
constexpr const char* tensor_name = "tensor cores";

/// The largest of times that overlap, except for the seams between them: two equal ones take 26%
/// more than one. The exponent is the same for all GPUs and resources.
double largest(std::initializer_list<double> times) {
  constexpr double exponent = 3;
  const double most = std::max(times);
  if (most <= 0) return 0;
  double sum = 0;
  for (const double time : times) sum += std::pow(time / most, exponent);
  return most * std::pow(sum, 1 / exponent);
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// Models one launch on a GPU. Times are in clocks of an SM.
class Model {
 public:
  Model(const core::GpuProfile& gpu, const KernelWork& work, const core::Capability& capability)
      : gpu_(gpu), work_(work), capability_(capability) {
    LaunchNeeds needs;
    needs.threads_per_block = work.threads_per_block;
    needs.registers_per_thread = work.registers_per_thread;
    needs.shared_bytes_per_block = work.shared_bytes_per_block;
    const Occupancy most = occupancy(gpu, needs);
    if (!most.cannot_run.empty()) throw std::invalid_argument(most.cannot_run);
    resident_ = std::max(1, most.active_blocks);
    blocks_ = static_cast<double>(work.blocks_x) * static_cast<double>(work.blocks_y);
    warps_ = blocks_ * most.warps_per_block;
    needs.blocks = work.blocks_x * work.blocks_y;
    occupancy_pct_ = occupancy(gpu, needs).percent;
    count_spills();
    count_tensor_products();
    count_instructions();
    count_waiting();
    count_traffic();
  }

  KernelTime time() const {
    const double on_sms = on_sms_clocks();
    const double all = largest({on_sms, l2_, dram_});
    KernelTime result;
    result.ms = in_ms(all) + launch_us * 1e-3;
    result.gflops = work_.operations / result.ms * 1e-6;
    result.gb_s = (work_.global_load_bytes + work_.global_store_bytes) / result.ms * 1e-6;
    result.occupancy_pct = occupancy_pct_;
    result.warp_instructions = instructions_;
    result.block = block();
    result.resident_blocks = resident_;
    result.clocks = all;
    result.clocks_of_whole_gpu = std::max(l2_, dram_);
    result.l2_load_sectors = l2_load_sectors_;
    result.l2_store_sectors = l2_store_sectors_;
    result.dram = dram_traffic_;
    result.parts = {{work_.double_precision ? "FP64 arithmetic" : "FP32 arithmetic", spread(fp_)},
                    {"instruction issue", spread(issue_)},
                    {load_unit_name(), spread(load_unit_)},
                    {"latency: too few warps", in_waves(std::max(memory_wait_, chain_))},
                    {"waiting at barriers", in_waves(barrier_wait_)},
                    {l2_name(), in_ms(l2_)},
                    {dram_name(), in_ms(dram_)},
                    {"launch overhead", launch_us * 1e-3}};
    if (tensor_ > 0) result.parts.push_back({tensor_name, spread(tensor_)});
    result.limiter = limiter(on_sms, result);
    return result;
  }

 private:
  bool has_half_warps() const { return capability_.serves_half_warps; }

  void count_spills() {
    // In every step, a thread adds a product to each of its results.
    const double results = work_.global_store_bytes / (work_.double_precision ? 8 : 4);
    const double steps = ratio(work_.operations / 2, results) * times_of_storing(work_);
    spill_requests_ = 2 * work_.spilled_words * steps * warps_;  // one store and one load
    constexpr double sectors_of_request = 4;                     // for 32 words side by side
    spill_sectors_ = spill_requests_ * sectors_of_request;
    // Every thread goes through its words again and again, so L2 keeps either all of them or none.
    constexpr double word_bytes = 4;
    const double bytes =
        work_.spilled_words * word_bytes * work_.threads_per_block * resident_ * gpu_.sms;
    spills_to_dram_ = bytes > static_cast<double>(gpu_.l2_bytes);
  }

  void count_tensor_products() {
    const core::Capability::TensorRates& rates = capability_.tensor;
    const double share = capability_.model.mma_sync_share;
    for (const auto& [products, rate, what] :
         {std::tuple{work_.tensor_half_products, rates.half * share, "halves"},
          {work_.tensor_tf32_products, rates.tf32 * share, "tf32"},
          {work_.tensor_double_products, 1.0 * rates.fp64, "doubles"},
          {work_.tensor_integer_products, rates.integer * share, "integers"}}) {
      if (products == 0) continue;
      if (rate == 0) {
        throw std::invalid_argument(gpu_.name + " has no tensor cores that multiply " + what);
      }
      tensor_ += products / rate;
    }
  }

  void count_instructions() {
    // On 1.x a request is one half-warp's, so a warp's instruction makes two.
    const double per_instruction = has_half_warps() ? 2 : 1;
    // The other lanes have no part in the work of tensor cores. That may be more than `operations`
    // counts, since several products in tf32 may stand for one.
    const double multiply_adds =
        std::max(0.0, work_.operations / 2 - tensor_products(work_)) / lanes_per_warp;
    const double global_accesses =
        (work_.global_load_requests + work_.global_store_requests + work_.global_atomic_requests) /
        per_instruction;
    const double shared_atomics = work_.shared_atomic_requests / per_instruction;
    const double shared_loads = work_.shared_load_requests / per_instruction;
    const double shared_stores = work_.shared_store_requests / per_instruction;
    // A shuffle moves a register, which has 4 bytes.
    const double shuffles = work_.double_precision ? 2 * work_.shuffles : work_.shuffles;
    const double lanes = work_.double_precision ? gpu_.fp64_lanes_per_sm : gpu_.fp32_lanes_per_sm;
    if (multiply_adds > 0 && lanes == 0) {
      throw std::invalid_argument(gpu_.name + " has no double precision");
    }
    fp_ = multiply_adds > 0 ? multiply_adds * lanes_per_warp / lanes : 0;
    multiply_adds_of_warp_ = multiply_adds / warps_;

    instructions_ = multiply_adds + work_.tensor_instructions + shared_loads + shared_stores +
                    shared_atomics + work_.constant_passes + work_.barriers + shuffles +
                    spill_requests_ +
                    capability_.model.instructions_per_global_access * global_accesses;
    const double passes = work_.shared_load_wavefronts + work_.shared_store_wavefronts +
                          work_.shared_atomic_wavefronts;
    if (has_half_warps()) {
      const double folded = std::min(multiply_adds, shared_loads);
      // The two passes of a warp's half-warps take no longer than the instruction itself.
      const double extra = passes - work_.shared_load_requests - work_.shared_store_requests -
                           work_.shared_atomic_requests;
      constexpr double clocks_of_half_warp = 2;
      instructions_ -= folded;
      issue_ = instructions_ / capability_.model.issued_per_clock +
               folded * capability_.model.shared_operand_clocks + extra * clocks_of_half_warp;
      shared_share_ = 0;
      return;
    }
    issue_ = instructions_ / capability_.model.issued_per_clock;
    const double sectors =
        work_.global_load_sectors + work_.global_store_sectors + work_.global_atomic_sectors;
    // L1 looks up one line of 128 bytes a clock: 32 rows that a warp reads at once take 32 clocks.
    const double lines = (work_.block.load_lines + work_.block.store_lines) * blocks_;
    const double global_wavefronts = capability_.model.global_shares_load_unit
                                         ? std::max({global_accesses, sectors / 4, lines})
                                         : 0;
    // A shuffle takes the same path as a load from shared memory: 32 lanes a clock (CUDA C++
    // Programming Guide, "Arithmetic Instructions", for all capabilities that have it).
    load_unit_ =
        passes + shuffles + global_wavefronts + work_.global_atomic_passes + spill_requests_;
    shared_share_ = ratio(passes, load_unit_);
    shuffle_share_ = ratio(shuffles, load_unit_);
  }

  /// The sums of a thread that go on side by side, if one instruction adds to
  /// `results_of_instruction` results.
  double chains_of(double results_of_instruction) const {
    return std::clamp(results_at_a_time(work_) / results_of_instruction, 1.0, most_chains);
  }

  /// Counts the waiting of a block that has an SM for itself.
  void count_waiting() {
    const double warps_of_block = warps_ / blocks_;
    const double per_request = has_half_warps() ? 2 : 1;
    double loads = 0;  // loads of a warp that wait for one another
    double chains = 1;
    if (work_.barriers == 0) {
      loads = (work_.global_load_requests + work_.global_atomic_requests) / per_request / warps_ /
              capability_.model.loads_in_flight;
    } else {
      const double waiting = work_.block.waiting_intervals / warps_of_block;
      const double others = work_.block.load_intervals / warps_of_block - waiting;
      loads = waiting + prefetched_share * std::max(0.0, others);
      chains = chains_of(1);
    }
    memory_wait_ = (loads + 1) * capability_.model.memory_latency;  // and once for the last store
    barrier_wait_ = work_.barriers / warps_ * capability_.model.barrier_clocks;
    constexpr double results_of_instruction = 4;  // that a lane has from mma.sync
    const double tensor_chains = chains_of(results_of_instruction);
    chain_ = multiply_adds_of_warp_ * capability_.model.arithmetic_latency / chains +
             work_.tensor_instructions / warps_ * capability_.model.tensor_latency / tensor_chains;
  }

  void count_traffic() {
    const DramTraffic dram =
        dram_traffic(gpu_, work_, static_cast<std::uint64_t>(resident_) * gpu_.sms);
    const double atomics = work_.global_atomic_sectors;
    const bool has_l2 = capability_.model.l2_bytes_per_clock > 0;
    // The parts of sectors that accesses leave unused, counted in sectors, cost time in the memory
    // that the accesses go to.
    double left =
        std::max(0.0, work_.global_store_sectors + atomics -
                          (work_.global_store_bytes + work_.global_atomic_bytes) / sector_bytes);
    // A page is already open if neighbouring blocks read it, too, or if the requests of all blocks
    // that run at a time want fewer pages than there are banks: 8 in each of 8 partitions on GT200.
    constexpr double open_pages = 64;
    const double lines_of_request =
        ratio(work_.block.load_lines * blocks_, work_.global_load_requests);
    const double pages = std::min<double>(blocks_, double(resident_) * gpu_.sms) * lines_of_request;
    if (!has_l2 && pages > open_pages) {
      const double shared = work_.block.shared_along_x + work_.block.shared_along_y;
      left += std::max(0.0, 1 - ratio(shared, work_.block.load_sectors)) *
              std::max(0.0, work_.global_load_sectors - work_.global_load_bytes / sector_bytes);
    }
    left *= capability_.model.scattered_sectors;
    const double dram_sectors = dram.load_sectors + dram.store_sectors + (has_l2 ? 0 : left) +
                                (spills_to_dram_ ? spill_sectors_ : 0);
    dram_traffic_ = dram;
    if (spills_to_dram_) {
      dram_traffic_.load_sectors += spill_sectors_ / 2;
      dram_traffic_.store_sectors += spill_sectors_ / 2;
    }
    dram_spill_share_ = spills_to_dram_ ? ratio(spill_sectors_, dram_sectors) : 0;
    const double bytes_per_clock =
        gpu_.dram_gb_s * capability_.model.dram_efficiency / (gpu_.clock_mhz * 1e-3);
    dram_ = dram_sectors * sector_bytes / bytes_per_clock * work_.partition_imbalance;

    if (!has_l2) return;
    double loaded = work_.global_load_sectors;
    if (capability_.model.l1_keeps_loads && work_.block.load_sectors > 0) {
      loaded = std::min(loaded, std::max(work_.block.load_sectors * blocks_, dram.load_sectors));
    }
    // L1 keeps nothing for atomics, and L2 both reads and writes their sectors.
    const double lines =
        (work_.block.load_lines * ratio(loaded + atomics, work_.global_load_sectors + atomics) +
         work_.block.store_lines) *
        blocks_;
    const double sectors =
        loaded + work_.global_store_sectors + left + 2 * atomics + spill_sectors_;
    l2_spill_share_ = ratio(spill_sectors_, sectors);
    l2_load_sectors_ = loaded + atomics + spill_sectors_ / 2;
    l2_store_sectors_ = work_.global_store_sectors + atomics + spill_sectors_ / 2;
    const double by_bytes = sectors * sector_bytes / l2_bytes_per_clock();
    const double by_lines = ratio(lines, capability_.model.l2_lines_per_clock * gpu_.sms);
    l2_ = largest({by_bytes, by_lines});
  }

  double arithmetic() const { return std::max(fp_, tensor_); }

  BlockClocks block() const {
    return {issue_ / blocks_,
            std::max(arithmetic(), load_unit_) / blocks_,
            largest({arithmetic(), issue_, load_unit_}) / blocks_,
            memory_wait_,
            barrier_wait_,
            chain_};
  }
  double wave(double count) const { return block().together(count); }

  double on_sms_clocks() const {
    const double at_a_time = static_cast<double>(resident_) * gpu_.sms;
    const double whole = std::floor(blocks_ / at_a_time);
    const double rest = blocks_ - whole * at_a_time;
    return whole * wave(resident_) + (rest > 0 ? wave(std::ceil(rest / gpu_.sms)) : 0);
  }

  /// What L2 delivers to all SMs; those without a block ask for nothing.
  double l2_bytes_per_clock() const {
    constexpr double most_of_an_sm =
        64;  // Programming Guide, "Multiprocessor": two sectors a clock
    return std::min(capability_.model.l2_bytes_per_clock * gpu_.sms,
                    most_of_an_sm * std::min<double>(gpu_.sms, blocks_));
  }
  double in_ms(double clocks) const { return clocks / (gpu_.clock_mhz * 1e3); }
  /// For work that is spread over all SMs.
  double spread(double clocks) const { return in_ms(clocks / gpu_.sms); }
  /// For waiting that occurs in every wave of blocks.
  double in_waves(double clocks) const {
    return in_ms(clocks * std::ceil(blocks_ / (static_cast<double>(resident_) * gpu_.sms)));
  }

  std::string load_unit_name() const {
    if (shuffle_share_ >= 0.5) return "warp shuffles";
    return shared_share_ >= 0.5 ? "shared wavefronts" : "wavefronts of global accesses";
  }
  std::string l2_name() const {
    return l2_spill_share_ >= 0.5 ? "spilled registers" : "L2 bandwidth";
  }
  std::string dram_name() const {
    if (dram_spill_share_ >= 0.5) return "spilled registers";
    constexpr double noticeable = 1.2;
    return work_.partition_imbalance > noticeable ? "partition camping" : "DRAM bandwidth";
  }

  std::string limiter(double on_sms, const KernelTime& time) const {
    const double launch = launch_us * gpu_.clock_mhz;  // clocks
    const double most = std::max({on_sms, l2_, dram_, launch});
    if (most == launch) return "launch overhead";
    if (most == dram_) return dram_name();
    if (most == l2_) return l2_name();
    if (blocks_ < gpu_.sms) return "too few blocks";

    const double busy = block().busy;
    const double count = std::min<double>(resident_, std::ceil(blocks_ / gpu_.sms));
    const double wait = memory_wait_ + barrier_wait_;
    // The time if blocks could be divided at will.
    const double without_tail = blocks_ / gpu_.sms / count * wave(count);
    constexpr double mostly_tail = 1.4;
    if (on_sms > mostly_tail * without_tail) return "last wave partly empty";
    if (std::max(wait, chain_ + wait - busy) > count * busy) {
      return barrier_wait_ > memory_wait_ && busy + wait > chain_ ? "waiting at barriers"
                                                                  : "latency: too few warps";
    }
    // Where issue is as narrow as arithmetic, there are at least as many instructions as
    // multiply-adds.
    constexpr double mostly = 0.8;
    if (arithmetic() >= mostly * std::max(issue_, load_unit_)) {
      return tensor_ > fp_ ? tensor_name : time.parts[0].name;
    }
    return time.parts[issue_ > load_unit_ ? 1 : 2].name;
  }

  const core::GpuProfile& gpu_;
  const KernelWork& work_;
  const core::Capability& capability_;
  int resident_ = 0;  ///< blocks on one SM at a time
  double blocks_ = 0, warps_ = 0, occupancy_pct_ = 0;
  double instructions_ = 0, multiply_adds_of_warp_ = 0;

  // Clocks of all SMs together, one after another:
  double fp_ = 0, tensor_ = 0, issue_ = 0, load_unit_ = 0;
  double shared_share_ = 0, shuffle_share_ = 0;  ///< shares of load_unit_
  double spill_requests_ = 0, spill_sectors_ = 0;
  double l2_spill_share_ = 0, dram_spill_share_ = 0;  ///< shares of the sectors there
  bool spills_to_dram_ = false;
  // Clocks of a block alone:
  double memory_wait_ = 0, barrier_wait_ = 0, chain_ = 0;
  // Clocks of the whole GPU:
  double l2_ = 0, dram_ = 0;
  double l2_load_sectors_ = 0, l2_store_sectors_ = 0;
  DramTraffic dram_traffic_;
};

}  // namespace

double BlockClocks::together(double count) const {
  const double wait = memory_wait + barrier_wait;
  // What the other blocks do while one waits costs no time.
  return std::max(busy + largest({(count - 1) * busy, wait}), chain + wait);
}

KernelTime kernel_time(const core::GpuProfile& gpu, const KernelWork& work,
                       const core::Capability& capability) {
  demand_counts(work);
  return Model(gpu, work, capability).time();
}

KernelTime kernel_time(const core::GpuProfile& gpu, const KernelWork& work) {
  return kernel_time(gpu, work, core::capability_of(gpu));
}

}  // namespace tilewise::model
