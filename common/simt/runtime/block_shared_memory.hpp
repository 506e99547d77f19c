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

  /// Forgets what the block before left.
  void start_block(std::size_t dynamic_bytes);

  /// The declaration's place, poisoned when the block comes to it for the first time.
  void* enter(int slot);
  void* dynamic() const { return base_; }

  /// Bytes of the static declarations the block has come to.
  std::size_t static_bytes() const { return static_bytes_; }

 private:
  std::byte* base_;  ///< dynamic shared memory first, then the static declarations
  unsigned block_ = 0;
  std::vector<unsigned> entered_in_block_;  ///< by slot
  std::size_t static_bytes_ = 0;
};

}  // namespace tilewise::simt
