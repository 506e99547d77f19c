#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/simt/recorder/shadow.hpp"
#include "common/simt/runtime/observer.hpp"

namespace tilewise::simt {

/// Finds accesses to data that an asynchronous copy is still bringing, and stores to data that it
/// has yet to read: by the thread that began the copy until it has waited, and by other threads
/// until a barrier after that wait. Also finds copies that are to read fewer than 0 bytes, or more
/// than they store.
class AsyncCopies final : public Observer {
 public:
  void start_block(bool) override {
    copies_.clear();
    index();
  }
  void copy_begun(const BegunCopy& copy, AccessRecord by) override;
  void copies_arrived(unsigned batches, AccessRecord wait) override;
  void shared_access(const Access& access) override {
    if (!copies_.empty()) check(access);
  }
  void global_access(const Access& access) override {
    if (!copies_.empty() && access.writes()) check(access);
  }
  void barrier(std::size_t) override;

 private:
  struct OnItsWay {
    BegunCopy copy;
    AccessRecord by;
    bool arrived;
    AccessRecord wait;  ///< last wait of its thread; by that wait the copy has arrived, if it has
  };

  void check(const Access& access) const;
  bool is_too_early(const OnItsWay& copy, unsigned thread) const;
  void report_size(const BegunCopy& copy, AccessRecord by) const;
  void report(const OnItsWay& copy, Place place, unsigned bytes, AccessRecord access) const;

  /// Numbers of copies in copies_.
  using Numbers = std::vector<std::size_t>;

  void index();
  void index(std::size_t number);

  std::vector<OnItsWay> copies_;
  std::unordered_map<unsigned, Numbers> by_thread_;  ///< by the thread that began them
  /// By the units of 16 bytes that they write or read.
  std::unordered_map<Place, Numbers> by_unit_;
};

}  // namespace tilewise::simt
