#pragma once

#include <cstddef>
#include <vector>

namespace tilewise::simt {

/// What the threads of a running block have begun to copy into shared memory, and not waited for.
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
    std::size_t batch;  ///< of its thread's, counted from 0
  };

  /// @return the copy's batch
  std::size_t begin(unsigned thread, Copy copy);
  void commit(unsigned thread) { ++threads_[thread].batches; }
  /// @return how many batches have arrived by now
  std::size_t wait(unsigned thread, std::size_t but_last);
  /// Who returns waits for all.
  void finish(unsigned thread) {
    if (used_) arrive(threads_[thread], ~std::size_t{0});
  }

 private:
  struct OfThread {
    std::vector<Copy> copies;  ///< in the order they were begun
    std::size_t batches = 0;   ///< committed
  };
  static void arrive(OfThread& thread, std::size_t batches);

  std::vector<OfThread> threads_;
  bool used_ = false;
};

}  // namespace tilewise::simt
