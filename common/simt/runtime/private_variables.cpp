#include "common/simt/runtime/private_variables.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "common/simt/include/tilewise/private_variables.hpp"
#include "common/simt/recorder/record.hpp"
#include "common/simt/runtime/block.hpp"

// Each byte of a variable has a mark, `marks_distance` above it: the number of its declaration as
// long as nothing has been stored there, or as long as it is part of a fence. A store by code that
// reports nothing is recognised by the value it left: a variable has no value only while all of it
// is `unset_byte`.
namespace tilewise::simt {
namespace {

constexpr unsigned char number_bits = 0x3f, fence_bit = 0x80, behind_bit = 0x40;
constexpr unsigned char unset_byte = 0xa5;

/// The declarations that the numbers in marks stand for. The last number is shared by all
/// declarations for which no other one is left.
class Declarations {
 public:
  static Declarations& instance() {
    static auto* declarations = new Declarations;  // outlives static destructors that use it
    return *declarations;
  }

  unsigned char number_of(const PrivateVariable& declared, unsigned char& number) {
    const std::atomic_ref known(number);
    if (const unsigned char found = known.load(std::memory_order_relaxed); found != 0) return found;
    const std::lock_guard lock(mutex_);
    if (known == 0) {
      if (used_ < number_bits - 1) {
        all_[++used_] = {declared.name, declared.line, declared.bytes, declared.element_bytes,
                         declared.rank};
        known = used_;
      } else {
        known = number_bits;
      }
    }
    return known;
  }

  const DeclaredVariable& at(unsigned char number) const { return all_[number]; }

 private:
  std::mutex mutex_;
  std::array<DeclaredVariable, number_bits + 1> all_;
  unsigned char used_ = 0;
};

unsigned char* marks_of(const void* address) {
  return reinterpret_cast<unsigned char*>(reinterpret_cast<std::uintptr_t>(address) +
                                          marks_distance);
}

/// Whether the bytes are on the running thread's stack, where they can have marks.
bool are_own(const void* address, std::size_t bytes) {
  const StackPool& stacks = Block::of_this_thread().stacks();
  const StackPool::Range stack = stacks.stack_at(address);
  const auto* at = static_cast<const std::byte*>(address);
  return stack.bytes > 0 && stack.base == stacks.stack_at(__builtin_frame_address(0)).base &&
         bytes <= static_cast<std::size_t>(stack.base + stack.bytes - at);
}

/// Whether, in addition, a kernel is watched.
bool can_be_marked(const void* address, std::size_t bytes) {
  return recorder.next != nullptr && are_own(address, bytes);
}

bool is_unset(const void* address, unsigned bytes) {
  const auto* at = static_cast<const unsigned char*>(address);
  for (unsigned i = 0; i < bytes; ++i) {
    if (marks_of(address)[i] == 0 || at[i] != unset_byte) return false;
  }
  return true;
}

/// Returns the distance from the start of the array to a byte of one of its fences.
std::ptrdiff_t offset_of(const unsigned char* mark, const DeclaredVariable& array) {
  const bool is_behind = (*mark & behind_bit) != 0;
  const unsigned char* end = mark;  // end of the fence, on the array's side
  while (*end == *mark) is_behind ? --end : ++end;
  const auto bytes = static_cast<std::ptrdiff_t>(array.bytes);
  return is_behind ? bytes + (mark - end - 1) : mark - end;
}

}  // namespace

void note_unset(void* variable, const PrivateVariable& declared, unsigned char& number) {
  if (!can_be_marked(variable, declared.bytes)) return;
  recorder.has_marks = true;
  std::memset(variable, unset_byte, declared.bytes);
  std::memset(marks_of(variable), Declarations::instance().number_of(declared, number),
              declared.bytes);
}

void raise_fence(void* before, void* behind, const PrivateVariable& declared,
                 unsigned char& number) {
  if (!can_be_marked(before, fence_bytes) || !can_be_marked(behind, fence_bytes)) return;
  recorder.has_marks = true;
  const unsigned mark = fence_bit | Declarations::instance().number_of(declared, number);
  std::memset(marks_of(before), static_cast<int>(mark), fence_bytes);
  std::memset(marks_of(behind), static_cast<int>(mark | behind_bit), fence_bytes);
}

void lower_fence(void* before, void* behind) {
  if (!recorder.has_marks) return;
  for (void* fence : {before, behind}) {
    if (are_own(fence, fence_bytes)) std::memset(marks_of(fence), 0, fence_bytes);
  }
}

void meet_marks(const void* address, std::uint32_t word) {
  const Site32 site(word);
  const unsigned bytes = site.bytes();
  unsigned char* const marks = marks_of(address);
  Block& block = Block::of_this_thread();
  for (unsigned i = 0; i < bytes; ++i) {
    if ((marks[i] & fence_bit) == 0) continue;
    const DeclaredVariable& array = Declarations::instance().at(marks[i] & number_bits);
    block.watch()->note_private_access(array, word, offset_of(marks + i, array));
    return;
  }
  if (site.action() != Action::write && is_unset(address, bytes)) {
    block.watch()->note_private_access(Declarations::instance().at(*marks & number_bits), word, {});
  }
  std::memset(marks, 0, bytes);
}

}  // namespace tilewise::simt
