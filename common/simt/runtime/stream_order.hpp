#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "common/simt/include/tilewise/driver_types.hpp"

namespace tilewise::simt {

/// Which work of the device has surely ended before other work begins: by the order within a
/// stream, by events, by what the host waits for, and by the default stream, which waits for those
/// that are not cudaStreamNonBlocking, as they do for it. Work runs when it is issued here, which
/// says nothing of a GPU. The host counts as one, whatever it has of threads: what one has waited
/// for, all have.
class StreamOrder {
 public:
  static StreamOrder& instance();

  /// Whether the program has had more than the default stream: else all work is in order.
  bool has_streams() const { return has_streams_.load(std::memory_order_relaxed); }
  /// Whether order matters: among streams, or between the device and the host.
  bool is_followed() const {
    return has_streams() || shares_memory_.load(std::memory_order_relaxed);
  }
  /// From here on there is memory that the host may come to at any time.
  void share_memory() { shares_memory_ = true; }
  void create(cudaStream_t stream, bool blocks, unsigned long long id);

  /// While it exists, work of the stream runs; work within, a graph's, is a part of it. Other
  /// threads of the host have to wait with theirs.
  class Work {
   public:
    /// @param name "cudaMemcpyAsync()", or a kernel's
    Work(cudaStream_t stream, const char* name);
    ~Work();
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    std::lock_guard<std::recursive_mutex> turn_;
  };
  /// Held by a thread of the host whose work runs.
  std::recursive_mutex& turn() { return turn_; }
  /// Of the last work that has begun, from 1.
  std::uint32_t current() const { return static_cast<std::uint32_t>(works_.size()) - 1; }
  /// Whether the calling thread of the host has work that runs.
  bool is_at_work() const { return depth_ != 0; }

  /// Whether the work has ended before the current began.
  bool has_ended(std::uint32_t work) const {
    const Issued& issued = works_[work];
    return issued.stream < known_.size() && issued.number <= known_[issued.stream];
  }
  /// Whether all work but the current has.
  bool has_all_ended() const { return has_all_ended_; }
  /// Whether the host knows that it has ended, so that no work to come can meet it.
  bool host_knows(std::uint32_t work) const;
  /// Whether it knows so of all work.
  bool host_knows_all() const { return host_knows_all_.load(std::memory_order_relaxed); }

  /// "scale in stream 3"
  std::string name_of(std::uint32_t work) const;

  void record(const void* event, cudaStream_t stream);
  void wait(cudaStream_t stream, const void* event);
  void host_waits_for(cudaStream_t stream);
  /// For the work that is under way.
  void host_waits_for_current();
  void host_waits_for_event(const void* event);
  void host_waits();

 private:
  /// By stream: how many of its works have ended.
  using Known = std::vector<std::uint32_t>;
  struct Stream {
    bool blocks = true;  ///< the default stream, and is blocked by it
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
  /// What has ended once all has that the stream has been given.
  Known after(std::size_t stream) const;
  void host_learns(const Known& known);

  std::atomic<bool> has_streams_{false}, shares_memory_{false}, host_knows_all_{true};
  mutable std::mutex mutex_;
  std::map<cudaStream_t, std::size_t> index_;
  std::vector<Stream> streams_;  ///< the default one, and each thread's default one
  std::map<const void*, Known> events_;
  std::vector<Issued> works_;
  Known host_, known_;
  bool has_all_ended_ = true;
  std::recursive_mutex turn_;
  static thread_local int depth_;
};

}  // namespace tilewise::simt
