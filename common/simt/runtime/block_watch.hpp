#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/recorder/control_flow.hpp"
#include "common/simt/recorder/modules.hpp"
#include "common/simt/recorder/record.hpp"
#include "common/simt/recorder/shadow.hpp"
#include "common/simt/recorder/warp_trace.hpp"
#include "common/simt/runtime/block_shared_memory.hpp"
#include "common/simt/runtime/module_variables.hpp"
#include "common/simt/runtime/names.hpp"
#include "common/simt/runtime/observer.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {

/// Follows the block that one operating-system thread runs: it keeps the traces of the block's
/// warps, and notifies observers of what they did. The observers in turn ask it for what they need
/// to know of the block.
class BlockWatch {
 public:
  virtual ~BlockWatch() = default;

  /// Returns the watch of the calling operating-system thread.
  static BlockWatch& of_this_thread();

  /// Makes a watch with all the observers there are (watch_of.hpp).
  using Maker = std::unique_ptr<BlockWatch> (*)();
  static bool make_by(Maker maker);

  std::span<Observer* const> observers() const { return observers_; }

  // Called by the code that runs the block.

  void start(const Watch& watch, const LaunchConfiguration& launch, const LaunchBody& body,
             BlockSharedMemory& shared);
  /// Call when all blocks of the launch that fell to this thread have run.
  void finish();

  /// @param turns for each thread, when its turn comes
  void start_block(std::uint32_t block, const std::vector<std::uint16_t>& turns);
  void finish_block();

  /// From here on, the recorded accesses are those of this thread of the block.
  void resume(unsigned thread) {
    cursor(running_) = recorder.next;
    running_ = thread;
    recorder.next = cursor(thread);
    recorder.end =
        watch_.order == ThreadOrder::in_step ? recorder.next + 1 : traces_[thread / 32].end();
  }

  /// The accesses that follow are not the kernel's, but perhaps the run-time's own: the library
  /// functions that it uses may be those of a checked module.
  void pause_recording() {
    if (recorder.next != nullptr) cursor(running_) = std::exchange(recorder.next, nullptr);
  }
  void go_on_recording() { recorder.next = cursor(running_); }

  /// All live threads have come to a barrier.
  void pass_barrier(std::size_t live_warps);

  /// The lanes are about to leave a warp-wide operation.
  void pass_warp_operation(unsigned warp, std::uint32_t lanes, WarpOperation operation);
  void note_product(const WarpProduct& product);

  /// Whether the running thread's trace has no room for another access. Otherwise the thread runs
  /// in step, and only waits for the others.
  bool has_no_room() { return recorder.next >= traces_[running_ / 32].end(); }

  /// Whether the thread has to wait until its warp's trace is read.
  bool trace_is_full(unsigned thread) {
    return traces_[thread / 32].count(thread % 32) >= trace_rows;
  }
  void read_traces_of_stalled_block(const std::vector<unsigned>& waiting);

  void note_fence();
  void note_index_fault(IndexFault fault);
  /// Notes an access of the running thread to a variable of its own.
  /// @param offset as in PrivateAccess
  void note_private_access(const DeclaredVariable& variable, std::uint32_t site,
                           std::optional<std::ptrdiff_t> offset);
  /// Whether further index faults would take time for nothing: nobody asks for all the faults of a
  /// kernel that is only counted, and each costs as much as a thousand accesses.
  bool counts_in_vain() const {
    constexpr std::size_t many = 4096;
    return !watch_.checks && index_faults_noted_ >= many;
  }
  void note_shared_array(Place start, const char* name, const char* element_function,
                         std::size_t element_bytes, std::size_t alignment,
                         std::span<const std::size_t> extents);

  /// Returns the place of something that a kernel can reach by this address.
  Place place_of(const void* address) const;
  /// @return the number under which copy() finds it
  std::uint32_t keep(const BegunCopy& copy);
  const BegunCopy& copy(std::uint32_t number) const { return copies_[number]; }

  /// Writes the access into the running lane's trace if it goes to a variable in device memory.
  bool record_variable(const void* address, std::uint32_t site);

  /// @return why the launch ends at an access to memory that is neither shared memory, nor
  /// allocated device memory, nor the thread's own; nothing if it does not end
  std::optional<Finding> judge(const AccessElsewhere& access);
  /// Whether the same access was judged before in this launch and found harmless.
  bool is_harmless(const void* address, std::uint32_t site) const {
    const Harmless access{address, site};
    return harmless_[slot_of(access)] == access;
  }

  // Called by observers.

  const Watch& watch() const { return watch_; }
  const LaunchConfiguration& launch() const { return *launch_; }
  const LaunchBody& body() const { return body_; }
  const BlockSharedMemory& shared_memory() const { return *shared_; }
  const ModuleVariables& variables() const { return *variables_; }
  const SharedNames& names() const { return names_; }
  const Moments& moments() const { return moments_; }
  std::size_t warps() const { return traces_.size(); }
  unsigned threads() const { return threads_; }
  unsigned running_thread() const { return running_; }
  std::uint32_t number() const { return block_; }

  AccessRecord record_of(const Request& request, unsigned lane) const {
    return {moments_.tag(request.warp * 32 + lane), request.site.word()};
  }
  bool is_constant(const Request& request) const {
    return !is_shared(request.first_place()) && variables_->is_constant(request.first_place());
  }
  /// Returns what a place holds now, folded as the hooks fold the value that a write finds.
  std::uint32_t value(Place place, unsigned bytes) const;
  /// Whether the first access's thread had its turn before the second's.
  bool ran_before(Tag first, Tag second) const;

  SourceLine line_of(std::uint32_t site) const;
  ThreadOfGrid place_of(unsigned thread, std::uint32_t block) const;
  ThreadOfGrid place_of(unsigned thread) const { return place_of(thread, block_); }
  /// "thread (3, 1, 0) of block (0, 2, 0)"
  std::string name_of(unsigned thread, std::uint32_t block) const;
  std::string name_of(unsigned thread) const { return name_of(thread, block_); }
  /// "Bs[3][0]" for shared memory, else "B[37][0]", or "global memory" if nothing is known of it.
  std::string element_at(Place place) const;

  /// "As": the array in which the place lies; empty if it has no name.
  std::string array_of(Place place) const;

  /// The text about a fault, as core::Finding has it.
  struct Words {
    std::string message;
    std::string array = "";
    int bracket = 0;
  };

  /// Reports what a thread does wrong at a site, once for each kind of fault.
  /// @param words makes the text, only for faults that are reported, since there may be millions of
  /// others
  void report(const char* kind, std::uint32_t site, unsigned thread,
              const std::function<Words()>& words) const;

  /// Reports two accesses whose order nothing determines.
  /// @param note what else is known of the race; begins with a semicolon
  void report_race(Place place, GridAccess earlier, GridAccess later,
                   const std::string& note = "") const;

 protected:
  BlockWatch() = default;

  void add(Observer& observer) { observers_.push_back(&observer); }

  /// Reports all accesses of the warp's trace to the observers.
  /// @param waiting the lanes that will make more accesses before they synchronise
  virtual void tell_accesses(unsigned warp, std::uint32_t waiting) = 0;

  /// Called once for each block: determines which observers want to be notified of its accesses.
  virtual void choose_listeners() = 0;

  /// Whether all lanes access one array or buffer, within its bounds.
  bool inside(const Request& request, const Pattern& pattern, SiteState& site) {
    const std::int64_t first = request.first_place();
    const auto fits = [&] {
      return first + pattern.lowest >= site.begin && first + pattern.highest <= site.end;
    };
    return fits() || (find_range(request.first_place(), site) && fits());
  }
  template <class Tell>
  void tell(Tell&& tell) {
    for (Observer* observer : observers_) tell(*observer);
  }

  std::vector<WarpTrace> traces_;  ///< by warp
  CodeOrder order_;
  Patterns patterns_;
  SiteTable sites_;
  Watch watch_;

 private:
  struct PendingIndexFault {
    IndexFault fault;
    unsigned thread;
    std::size_t row;  ///< row of the thread's trace in which the access comes, or soon after
  };

  std::string actor(GridAccess access) const;
  std::uint32_t*& cursor(unsigned thread) { return traces_[thread / 32].cursor(thread % 32); }
  bool find_range(Place place, SiteState& site) const;
  void read_trace(unsigned warp, std::uint32_t waiting);
  void end_interval();
  void resolve_index_faults();

  std::vector<Observer*> observers_;
  const LaunchConfiguration* launch_ = nullptr;
  LaunchBody body_{};
  BlockSharedMemory* shared_ = nullptr;
  const ModuleVariables* variables_ = nullptr;
  std::uint32_t block_ = 0;
  const std::vector<std::uint16_t>* turns_ = nullptr;
  unsigned threads_ = 0;
  unsigned running_ = 0;
  Moments moments_;
  SharedNames names_;
  std::vector<PendingIndexFault> index_faults_;
  std::size_t index_faults_noted_ = 0;  ///< number in this block
  std::vector<BegunCopy> copies_;       ///< of this block
  /// The last access elsewhere in each slot that no check objects to: reads of an argument or of
  /// threadIdx come as often as an inner loop's accesses.
  struct Harmless {
    const void* address = nullptr;
    std::uint32_t site = 0;
    bool operator==(const Harmless&) const = default;
  };
  static std::size_t slot_of(const Harmless& access) {
    return (reinterpret_cast<std::uintptr_t>(access.address) / 4 + access.site) % 256;
  }
  std::array<Harmless, 256> harmless_;
};

}  // namespace tilewise::simt
