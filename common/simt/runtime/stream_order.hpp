#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "common/simt/include/tilewise/driver_types.hpp"

namespace tilewise::simt {

/// Determines which work of the device has surely ended before other work begins: by the order
/// within a stream, by events, by what the host waits for, and by the default stream, which waits
/// for all streams that are not cudaStreamNonBlocking, as these wait for it. Work runs when it is
/// issued here, which says nothing about a GPU. The host counts as one, however many threads it
/// has: what one thread has waited for, all have.
class StreamOrder {
 public:
  static StreamOrder& instance();

  /// Whether the program has had a stream other than the default stream; otherwise all work is in
  /// order.
  bool has_streams() const { return has_streams_.load(std::memory_order_relaxed); }
  /// Whether order matters, among streams or between the device and the host.
  bool is_followed() const {
    return has_streams() || shares_memory_.load(std::memory_order_relaxed);
  }
  /// From here on, there is memory that the host may access at any time.
  void share_memory() { shares_memory_ = true; }
  void create(cudaStream_t stream, bool blocks, unsigned long long id);

  /// While the object exists, work of the stream runs. Nested work, such as that of a graph, is a
  /// part of it. Other threads of the host have to wait with their work.
  class Work {
   public:
    /// @param name "cudaMemcpyAsync()", or the name of a kernel
    Work(cudaStream_t stream, const char* name);
    ~Work();
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    std::lock_guard<std::recursive_mutex> turn_;
  };
  /// Returns the mutex that a thread of the host holds while its work runs.
  std::recursive_mutex& turn() { return turn_; }
  /// Returns the number of the work that began last, counted from 1.
  std::uint32_t current() const { return static_cast<std::uint32_t>(works_.size()) - 1; }
  /// Whether the calling thread of the host has work that is running.
  bool is_at_work() const { return depth_ != 0; }

  /// Whether the work had ended before the current work began.
  bool has_ended(std::uint32_t work) const {
    const Issued& issued = works_[work];
    return issued.stream < known_.size() && issued.number <= known_[issued.stream];
  }
  /// Whether all other work had ended before the current work began.
  bool has_all_ended() const { return has_all_ended_; }
  /// Whether the host knows that the work has ended, so that no future work can conflict with it.
  bool host_knows(std::uint32_t work) const;
  /// Whether the host knows that all work has ended.
  bool host_knows_all() const { return host_knows_all_.load(std::memory_order_relaxed); }

  /// "scale in stream 3"
  std::string name_of(std::uint32_t work) const;

  void record(const void* event, cudaStream_t stream);
  void wait(cudaStream_t stream, const void* event);
  void host_waits_for(cudaStream_t stream);
  /// The host waits for the current work.
  void host_waits_for_current();
  void host_waits_for_event(const void* event);
  void host_waits();

 private:
  /// For each stream, how many of its works have ended.
  using Known = std::vector<std::uint32_t>;
  struct Stream {
    bool blocks = true;  ///< the default stream waits for it, and it for the default stream
    unsigned long long id = 0;
    std::uint32_t issued = 0;
    Known known = {};
  };
  struct Issued {
    std::uint32_t stream = 0, number = 0;
    const char* name = "";
  };

  StreamOrder() : streams_(2), works_(1) {}
  std::size_t index_of(cudaStream_t stream);
  void begin(cudaStream_t stream, const char* name);
  static void join(Known& known, const Known& other);
  /// Returns what has ended once all work has ended that the stream has been given.
  Known after(std::size_t stream) const;
  void host_learns(const Known& known);

  std::atomic<bool> has_streams_{false}, shares_memory_{false}, host_knows_all_{true};
  mutable std::mutex mutex_;
  std::map<cudaStream_t, std::size_t> index_;
  std::vector<Stream> streams_;  ///< first the default stream and each thread's default stream
  std::map<const void*, Known> events_;
  std::vector<Issued> works_;
  Known host_, known_;
  bool has_all_ended_ = true;
  std::recursive_mutex turn_;
  static thread_local int depth_;
};

}  // namespace tilewise::simt
