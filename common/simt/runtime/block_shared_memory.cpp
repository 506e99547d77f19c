#include "common/simt/runtime/block_shared_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>

#include "common/simt/include/tilewise/shared_memory.hpp"

namespace tilewise::simt {

namespace {

/// More than any card's dynamic shared memory for one block (227 KiB on compute capability 9.0).
constexpr std::size_t dynamic_room = 256 * 1024;

/// Room for all static declarations of a program together: 300 kernels of 48 KiB each, more than
/// the largest stage's template instantiations need.
constexpr std::size_t static_room = 16 * 1024 * 1024;

/// Shared memory's rows are 32 banks of 4 bytes; an array that starts a row has the same bank
/// conflicts as one in a real block.
constexpr std::size_t row_bytes = 128;

constexpr int poison = 0xFF;

struct Slot {
  std::size_t offset;
  std::size_t bytes;
};

struct Slots {
  std::mutex mutex;
  std::vector<Slot> all;
  std::size_t end = dynamic_room;
};

Slots& slots() {
  static Slots* instance = new Slots;  // modules may still be loading when others are unloading
  return *instance;
}

}  // namespace

int reserve_shared(std::size_t bytes, std::size_t alignment) {
  Slots& table = slots();
  const std::lock_guard lock(table.mutex);
  const std::size_t unit = std::max(alignment, row_bytes);
  const std::size_t offset = (table.end + unit - 1) / unit * unit;
  if (offset + bytes > dynamic_room + static_room) {
    throw std::length_error("this program declares more than 16 MiB of static shared memory");
  }
  // A row between declarations keeps an index that runs past one array from hitting the next.
  table.end = offset + bytes + row_bytes;
  table.all.push_back({offset, bytes});
  return static_cast<int>(table.all.size()) - 1;
}

BlockSharedMemory::BlockSharedMemory() {
  void* range = mmap(nullptr, dynamic_room + static_room, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(range);
}

BlockSharedMemory::~BlockSharedMemory() { munmap(base_, dynamic_room + static_room); }

void BlockSharedMemory::start_block(std::size_t dynamic_bytes) {
  ++block_;
  static_bytes_ = 0;
  std::memset(base_, poison, dynamic_bytes);
}

void* BlockSharedMemory::enter(int slot) {
  const auto index = static_cast<std::size_t>(slot);
  if (index >= entered_in_block_.size()) {
    const std::lock_guard lock(slots().mutex);
    entered_in_block_.resize(slots().all.size(), block_ - 1);
  }
  const Slot& place = slots().all[index];
  std::byte* start = base_ + place.offset;
  if (entered_in_block_[index] != block_) {
    entered_in_block_[index] = block_;
    static_bytes_ += place.bytes;
    std::memset(start, poison, place.bytes);
  }
  return start;
}

}  // namespace tilewise::simt
