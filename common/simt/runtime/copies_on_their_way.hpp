#pragma once

#include <cstddef>
#include <vector>

namespace tilewise::simt {

/// The copies into shared memory that the threads of a running block have begun and not waited for.
class CopiesOnTheirWay {
 public:
  void start_block(std::size_t threads) {
    if (used_ || threads_.size() != threads) threads_.assign(threads, {});
    used_ = false;
  }

  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes, zeros;
    std::size_t batch;  ///< number of the batch within its thread, counted from 0
  };

  /// @return the copy's batch
  std::size_t begin(unsigned thread, Copy copy);
  void commit(unsigned thread) { ++threads_[thread].batches; }
  /// @return how many batches have arrived so far
  std::size_t wait(unsigned thread, std::size_t but_last);
  /// A thread that returns waits for all of its copies.
  void finish(unsigned thread) {
    if (used_) arrive(threads_[thread], ~std::size_t{0});
  }

 private:
  struct OfThread {
    std::vector<Copy> copies;  ///< in the order in which they were begun
    std::size_t batches = 0;   ///< number of committed batches
  };
  static void arrive(OfThread& thread, std::size_t batches);

  std::vector<OfThread> threads_;
  bool used_ = false;
};

}  // namespace tilewise::simt
