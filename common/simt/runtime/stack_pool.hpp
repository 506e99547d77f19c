#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "common/simt/include/tilewise/fibers.hpp"

/// The distance from a place on the stack of a kernel's thread up to the copy of what stood there
/// when a function began: the size of such a stack and of the gap above it. It is text because
/// assembly code uses it (runtime/indirect_calls.cpp).
#define TILEWISE_KEPT_RETURNS "327680"

namespace tilewise::simt {

/// A stack on which the threads of a block run, one after another.
struct Fiber {
  std::byte* stack_top;
  std::size_t stack_bytes;
  Context context;  ///< the context in which it waits for the next thread
};

/// The stacks of one operating-system thread. They are made on demand and kept for its lifetime.
class StackPool {
 public:
  using Entry = void (*)(Transfer);

  /// @param entry the function that a fresh fiber runs; it never returns.
  explicit StackPool(Entry entry) : entry_(entry) {}
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  Fiber* take();
  Fiber* last_taken() const { return last_taken_; }
  void give_back(Fiber* fiber) { free_.push_back(fiber); }

  /// Drops whatever runs on every stack, and makes all stacks fresh.
  void reset();

  /// Returns the range of the stack that the address lies in; no bytes if it lies in none of these
  /// stacks.
  struct Range {
    const std::byte* base;
    std::size_t bytes;
  };
  Range stack_at(const void* address) const;

  /// Whether the address lies in the inaccessible gap below one of the stacks.
  bool overflowed_at(const void* address) const;

 private:
  std::unique_ptr<Fiber> make();
  Context fresh_context_of(const Fiber& fiber) const;

  Entry entry_;
  std::vector<std::unique_ptr<Fiber>> all_;
  std::vector<Fiber*> free_;
  std::vector<const std::byte*> tops_;  ///< those of all stacks, sorted by address
  Fiber* last_taken_ = nullptr;
};

}  // namespace tilewise::simt
