#include "common/simt/runtime/block_shared_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>

#include "common/simt/include/tilewise/shared_memory.hpp"
#include "common/simt/runtime/device_memory.hpp"

namespace tilewise::simt {

namespace {

/// This is more than any card's dynamic shared memory for one block (227 KiB on compute capability
/// 9.0).
constexpr std::size_t dynamic_room = 256 * 1024;

/// The room for all static declarations of a program together, gaps included: 300 kernels of 48 KiB
/// each, which is more than the template instantiations of the largest stage need.
constexpr std::size_t static_room = 32 * 1024 * 1024;

/// Shared memory's rows are 32 banks of 4 bytes; an array that starts a row has the same bank
/// conflicts as one in a real block.
constexpr std::size_t row_bytes = 128;

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

int reserve_shared(SharedRoom& room) {
  Slots& table = slots();
  const std::lock_guard lock(table.mutex);
  const std::size_t bytes = room.bytes;
  const std::size_t unit = std::max(room.alignment, row_bytes);
  const std::size_t offset = (table.end + unit - 1) / unit * unit;
  if (bytes > static_room || unit > static_room || offset + bytes > dynamic_room + static_room) {
    throw std::length_error("this program declares more than 32 MiB of static shared memory");
  }
  // A gap of its own size behind every declaration keeps an index that runs past one array from
  // hitting the next.
  table.end = offset + bytes + std::max(bytes, row_bytes);
  table.all.push_back({offset, bytes});
  room.slot = static_cast<int>(table.all.size()) - 1;
  return room.slot;
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
  dynamic_bytes_ = dynamic_bytes;
  std::memset(base_, poison, dynamic_bytes);
  for (const AtFileScope& declaration : at_file_scope_) {
    const Slot& place = slots().all[static_cast<std::size_t>(declaration.slot)];
    std::memset(base_ + place.offset, poison, place.bytes);
    if (declaration.kernels.contains(kernel_)) enter(declaration.slot);
  }
}

std::size_t BlockSharedMemory::room() { return dynamic_room + static_room; }

std::size_t BlockSharedMemory::room_in_use() {
  const std::lock_guard lock(slots().mutex);
  return slots().end;
}

bool BlockSharedMemory::find(std::size_t offset, std::size_t& begin, std::size_t& end) {
  if (offset < dynamic_bytes_) {
    begin = 0;
    end = dynamic_bytes_;
    return true;
  }
  std::size_t index = 0;
  Slot slot{};
  {
    const std::lock_guard lock(slots().mutex);
    const std::vector<Slot>& all = slots().all;
    const auto after =
        std::upper_bound(all.begin(), all.end(), offset,
                         [](std::size_t wanted, const Slot& one) { return wanted < one.offset; });
    if (after == all.begin()) return false;
    index = static_cast<std::size_t>(std::prev(after) - all.begin());
    slot = all[index];
  }
  if (offset >= slot.offset + slot.bytes || index >= entered_in_block_.size()) return false;
  if (entered_in_block_[index] != block_) {
    const auto declaration =
        std::ranges::find(at_file_scope_, static_cast<int>(index), &AtFileScope::slot);
    if (declaration == at_file_scope_.end()) return false;
    declaration->kernels.insert(kernel_);  // its blocks have the declaration from now on
  }
  begin = slot.offset;
  end = slot.offset + slot.bytes;
  return true;
}

void* BlockSharedMemory::enter_at_file_scope(int slot) {
  at_file_scope_.push_back({slot, {kernel_}});
  return enter(slot);
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

namespace {

using KeptValue = std::array<std::byte, 64>;

/// Returns a value that is kept for the running block. All threads of a block run on one system
/// thread, and no other block runs there meanwhile. The values are behind a pointer, because a
/// library that is loaded late gets little room for thread-local variables.
KeptValue& kept_for_block(unsigned slot) {
  static thread_local const auto values = std::make_unique<std::array<KeptValue, 32>>();
  return values->at(slot);
}

}  // namespace

void keep_for_block(unsigned slot, const void* value, std::size_t bytes) {
  std::memcpy(kept_for_block(slot).data(), value, std::min(bytes, sizeof(KeptValue)));
}

void take_from_block(unsigned slot, void* value, std::size_t bytes) {
  std::memcpy(value, kept_for_block(slot).data(), std::min(bytes, sizeof(KeptValue)));
}

}  // namespace tilewise::simt
