#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/simt/checks/block_footprint.hpp"
#include "common/simt/checks/block_tracer.hpp"
#include "common/simt/checks/load_merging.hpp"
#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/recorder/code_order.hpp"
#include "common/simt/recorder/global_shadow.hpp"
#include "common/simt/recorder/recorder.hpp"
#include "common/simt/recorder/shared_shadow.hpp"
#include "common/simt/recorder/site_table.hpp"
#include "common/simt/recorder/source_lines.hpp"
#include "common/simt/recorder/time_tags.hpp"
#include "common/simt/recorder/warp_trace.hpp"
#include "common/simt/runtime/block_shared_memory.hpp"
#include "common/simt/runtime/module_variables.hpp"
#include "common/simt/runtime/shared_names.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {

enum class WarpOperation { barrier, shuffle, vote };

/// Follows the block that one operating-system thread runs: reads the traces of its warps, checks
/// and counts.
class BlockWatch final : private SharedListener, private GlobalListener {
 public:
  /// The calling operating-system thread's.
  static BlockWatch& of_this_thread();

  void start_launch(const Watch& watch, const LaunchConfiguration& launch, const LaunchBody& body,
                    const BlockSharedMemory& shared);

  /// @param turns by thread: when its turn comes
  void start_block(std::uint32_t block, const std::vector<std::uint16_t>& turns);
  void finish_block();

  /// From here on the accesses are those of this thread of the block.
  void resume(unsigned thread) {
    cursor(running_) = recorder.next;
    running_ = thread;
    recorder.next = cursor(thread);
    recorder.end = traces_[thread / 32].end();
  }

  /// What follows are not the kernel's accesses, but perhaps the run-time's own: the library
  /// functions it uses may be those of a checked module.
  void pause_recording() {
    if (recorder.next != nullptr) cursor(running_) = std::exchange(recorder.next, nullptr);
  }
  void go_on_recording() { recorder.next = cursor(running_); }

  /// All live threads have come to a barrier.
  void pass_barrier(std::size_t live_warps);

  /// The lanes are about to leave a warp-wide operation.
  void pass_warp_operation(unsigned warp, std::uint32_t lanes, WarpOperation operation);

  /// The thread has to wait until its warp's trace is read.
  bool trace_is_full(unsigned thread) {
    return traces_[thread / 32].count(thread % 32) >= trace_rows;
  }
  void read_traces_of_stalled_block(const std::vector<unsigned>& waiting);

  void note_fence();
  void note_index_fault(IndexFault fault);
  SharedNames& names() { return names_; }
  BlockTracer& tracer() { return tracer_; }

  /// Writes an access into the running lane's trace if it is one to a variable in device memory.
  bool record_variable(const void* address, std::uint32_t site);

  /// @param on_a_stack the address is another thread's local variable's
  /// @return what is wrong with an access to neither shared nor existing device memory nor the
  /// thread's own; nothing where it is no business of the kernel's.
  std::optional<Diagnostic> judge_elsewhere(const void* address, std::uint32_t site,
                                            bool on_a_stack);

  /// What was counted since the last call.
  struct Counted {
    std::vector<std::pair<std::uint32_t, Counters>> sites;
    std::uint64_t barriers = 0;
    std::uint64_t shuffles = 0;
    std::uint64_t signature = 0;  ///< equal for blocks whose warps made the same requests
    /// Where in device memory the block's sites went first, in one number that is linear in each.
    std::uint64_t position = 0;
    BlockFootprint footprint;  ///< where blocks are sampled
  };
  Counted take_counts();

  /// What it moved between memory and the partitions since the last call; nothing where that is not
  /// counted.
  std::optional<PartitionBytes> take_partition_bytes();

 private:
  struct PendingIndexFault {
    IndexFault fault;
    unsigned thread;
    std::size_t row;  ///< of the thread's trace: the access comes here or soon after
  };

  std::uint32_t*& cursor(unsigned thread) { return traces_[thread / 32].cursor(thread % 32); }
  void read_trace(unsigned warp, std::uint32_t waiting);
  void end_interval();
  void consume(const Request& request);
  void count(const Request& request, const Pattern& pattern, SiteState& state);
  void count_atomic(const Request& request, const Pattern& pattern, Counters& c);
  void count_partition_bytes(const Request& request);
  void check(const Request& request, const Pattern& pattern, SiteState& state);
  void note_for_sample(const Request& request, const Pattern& pattern, SiteState& state);
  bool inside(const Request& request, const Pattern& pattern, SiteState& state);
  bool find_range(Place place, SiteState& state) const;
  void check_lane_by_lane(const Request& request);
  void report_outside(const Request& request, unsigned lane);
  void report_write_to_input(const Request& request);
  void report_misaligned(const Request& request, unsigned lane);
  void resolve_index_faults();
  void report(const char* kind, std::uint32_t site, unsigned thread, std::string message);
  void report_race(const char* kind, AccessRecord earlier, AccessRecord later,
                   std::uint32_t block_of_later, std::string message);

  /// An address in the kernel's code.
  std::uintptr_t code() const { return reinterpret_cast<std::uintptr_t>(body_.run); }
  SourceLine line_of(std::uint32_t site) const;
  bool is_constant(const Request& request) const {
    return !is_shared(request.first_place()) && variables_->is_constant(request.first_place());
  }
  /// What a thread does that it cannot.
  struct StrayAccess {
    const char* kind;
    std::string what;
  };
  std::optional<StrayAccess> fault_elsewhere(const void* address, bool reads,
                                             bool on_a_stack) const;
  std::optional<StrayAccess> fault_in_a_module(std::uintptr_t address, bool reads) const;
  std::optional<StrayAccess> fault_in_device_memory(const void* address) const;
  std::string describe_access(std::uint32_t site) const;
  std::string thread_name(unsigned thread) const;
  ThreadOfGrid place_of(unsigned thread, std::uint32_t block) const;
  std::string actor(AccessRecord access, std::uint32_t block) const;

  void race(Place place, AccessRecord earlier, AccessRecord later) override;
  void unwritten(Place place, AccessRecord read) override;
  std::uint32_t value(Place place, unsigned bytes) const override;
  bool ran_before(Tag first, Tag second) const override;
  void global_race(Place place, GlobalAccess earlier, GlobalAccess later) override;
  Diagnostic global_unwritten(Place place, AccessRecord read) override;

  BlockWatch() = default;

  Watch watch_;
  const LaunchConfiguration* launch_ = nullptr;
  LaunchBody body_{};
  const BlockSharedMemory* shared_ = nullptr;
  const ModuleVariables* variables_ = nullptr;
  std::uint32_t block_ = 0;
  const std::vector<std::uint16_t>* turns_ = nullptr;
  unsigned threads_ = 0;
  unsigned running_ = 0;

  std::vector<WarpTrace> traces_;  ///< by warp
  CodeOrder order_;
  Moments moments_;
  std::unique_ptr<SharedShadow> shared_shadow_;
  std::size_t shadowed_bytes_ = 0;
  SharedNames names_;
  Patterns patterns_;
  SiteTable sites_;
  LoadMerging merging_;
  FootprintWriter footprint_;
  BlockTracer tracer_;
  std::optional<PartitionBytes> partition_bytes_;
  bool merges_ = false;  ///< the GPU has loads of 8 and 16 bytes from shared memory
  std::vector<PendingIndexFault> index_faults_;
  /// Sites and addresses of accesses that are no business of the kernel's.
  std::set<std::pair<std::uint32_t, std::uintptr_t>> harmless_;
  std::uint64_t barriers_ = 0;
  std::uint64_t shuffles_ = 0;
  std::uint64_t signature_ = 0;
  std::uint64_t position_ = 0;
  std::uint64_t blocks_started_ = 0;
};

}  // namespace tilewise::simt
