#pragma once

#include <cstddef>
#include <vector>

namespace tilewise::simt {

/// Shared memory of the blocks that one operating-system thread runs, one after another. Every
/// static declaration of the program has a place of its own, the same for every block.
class BlockSharedMemory {
 public:
  BlockSharedMemory();
  ~BlockSharedMemory();
  BlockSharedMemory(const BlockSharedMemory&) = delete;
  BlockSharedMemory& operator=(const BlockSharedMemory&) = delete;

  /// Forgets what the launch before took: this thread may run no block of the next one.
  void start_launch() { static_bytes_ = 0; }

  /// Forgets what the block before left.
  void start_block(std::size_t dynamic_bytes);

  /// The declaration's place, poisoned when the block comes to it for the first time.
  void* enter(int slot);
  void* dynamic() const { return base_; }

  /// All of it: what belongs to no declaration too.
  std::byte* base() const { return base_; }
  static std::size_t room();
  /// How far the declarations that exist by now reach.
  static std::size_t room_in_use();

  /// The declaration, or the dynamic shared memory, that an offset from base() lies in, as
  /// [begin, end). @return false where it lies in none that the running block has.
  bool find(std::size_t offset, std::size_t& begin, std::size_t& end) const;

  /// Bytes of the static declarations the block has come to.
  std::size_t static_bytes() const { return static_bytes_; }

 private:
  std::byte* base_;  ///< dynamic shared memory first, then the static declarations
  std::size_t dynamic_bytes_ = 0;
  unsigned block_ = 0;
  std::vector<unsigned> entered_in_block_;  ///< by slot
  std::size_t static_bytes_ = 0;
};

}  // namespace tilewise::simt
