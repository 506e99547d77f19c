#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::simt {

/// The shared memory of the blocks that one operating-system thread runs, one after another. Every
/// static declaration of the program has a place of its own, the same for every block.
class BlockSharedMemory {
 public:
  BlockSharedMemory();
  ~BlockSharedMemory();
  BlockSharedMemory(const BlockSharedMemory&) = delete;
  BlockSharedMemory& operator=(const BlockSharedMemory&) = delete;

  /// Forgets what the previous launch used, because this thread may run no block of the next one.
  void start_launch(std::string_view kernel) {
    static_bytes_ = 0;
    kernel_ = kernel;
  }

  /// Forgets what the previous block left.
  void start_block(std::size_t dynamic_bytes);

  /// Returns the declaration's place, which is poisoned when the block reaches it for the first
  /// time.
  void* enter(int slot);
  /// The same for a declaration at file scope. Later blocks use it without calling this: its bytes
  /// count as theirs if their kernel has been seen to use it.
  void* enter_at_file_scope(int slot);
  void* dynamic() const { return base_; }

  /// Returns the start of all shared memory, including what belongs to no declaration.
  std::byte* base() const { return base_; }
  static std::size_t room();
  /// Returns how far the existing declarations reach.
  static std::size_t room_in_use();

  /// Finds the declaration, or the dynamic shared memory, in which an offset from base() lies, as
  /// [begin, end).
  /// @return false if it lies in none that the running block has.
  bool find(std::size_t offset, std::size_t& begin, std::size_t& end);

  /// Returns the size of the static declarations that the block has reached.
  std::size_t static_bytes() const { return static_bytes_; }

 private:
  std::byte* base_;  ///< dynamic shared memory first, then the static declarations
  std::size_t dynamic_bytes_ = 0;
  unsigned block_ = 0;
  std::vector<unsigned> entered_in_block_;  ///< by slot
  std::size_t static_bytes_ = 0;

  /// A declaration at file scope, and the kernels that use it.
  struct AtFileScope {
    int slot;
    std::set<std::string, std::less<>> kernels;
  };
  std::vector<AtFileScope> at_file_scope_;
  std::string kernel_;  ///< the kernel that is running
};

}  // namespace tilewise::simt
