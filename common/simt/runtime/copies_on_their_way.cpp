#include "common/simt/runtime/copies_on_their_way.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "common/simt/include/tilewise/copies_on_their_way.hpp"
#include "common/simt/recorder/record.hpp"
#include "common/simt/runtime/block.hpp"

namespace tilewise::simt {

std::size_t CopiesOnTheirWay::begin(unsigned thread, Copy copy) {
  used_ = true;
  OfThread& of_thread = threads_[thread];
  copy.batch = of_thread.batches;
  of_thread.copies.push_back(copy);
  return copy.batch;
}

std::size_t CopiesOnTheirWay::wait(unsigned thread, std::size_t but_last) {
  OfThread& of_thread = threads_[thread];
  const std::size_t arrived = of_thread.batches - std::min(but_last, of_thread.batches);
  arrive(of_thread, arrived);
  return arrived;
}

void CopiesOnTheirWay::arrive(OfThread& thread, std::size_t batches) {
  const auto end = std::find_if(thread.copies.begin(), thread.copies.end(),
                                [&](const Copy& copy) { return copy.batch >= batches; });
  for (auto copy = thread.copies.begin(); copy != end; ++copy) {
    const std::size_t read = copy->bytes - std::min(copy->zeros, copy->bytes);
    std::memcpy(copy->to, copy->from, read);
    std::memset(static_cast<char*>(copy->to) + read, 0, copy->bytes - read);
  }
  thread.copies.erase(thread.copies.begin(), end);
}

namespace {

/// Records an access to a power of two of bytes, at most 16.
template <Action action>
void record_access(const void* at, std::size_t bytes, const void* pc) {
  switch (bytes) {
    case 16:
      return record<action, 16>(at, pc);
    case 8:
      return record<action, 8>(at, pc);
    case 4:
      return record<action, 4>(at, pc);
    case 2:
      return record<action, 2>(at, pc);
    default:
      return record<action, 1>(at, pc);
  }
}

/// Records the load of the bytes that are read, in pieces if their number is no power of two, and
/// the store.
void record_copy(void* to, const void* from, std::size_t bytes, std::size_t read, const void* pc) {
  const void* const others = continued(pc);
  for (std::size_t at = 0; at < read;) {
    const std::size_t piece = std::bit_floor(read - at);
    record_access<Action::read>(static_cast<const char*>(from) + at, piece, at == 0 ? pc : others);
    at += piece;
  }
  record_access<Action::write>(to, bytes, read == 0 ? pc : others);
}

/// Records an entry that is no access. `meaning` is a number of bytes that no mark of a loop has.
void record_note(unsigned meaning, std::uint32_t value, const void* pc) {
  Recorder& r = recorder;
  r.next[0] =
      Site32::kind(Action::none, meaning) |
      (static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(pc)) & Site32::code_mask);
  r.next[(trace_rows + 1) * trace_lanes] = value;
  r.next += trace_lanes;
  if (r.next >= r.end) make_room_in_trace();
}

}  // namespace

[[gnu::noinline]] void begin_copy(void* to, const void* from, std::size_t bytes,
                                  std::size_t zeros) {
  const void* const pc = __builtin_return_address(0);
  const std::size_t read = bytes - std::min(zeros, bytes);
  record_copy(to, from, bytes, read, pc);
  Block& block = Block::of_this_thread();
  const std::size_t batch =
      block.copies().begin(block.running_number(), {to, from, bytes, zeros, 0});
  if (recorder.next == nullptr) return;
  const BegunCopy copy = {.to = block.watch()->place_of(to),
                          .from = block.watch()->place_of(from),
                          .bytes = static_cast<unsigned>(bytes),
                          .bytes_read = static_cast<unsigned>(read),
                          .bytes_asked_for = static_cast<std::ptrdiff_t>(bytes - zeros),
                          .batch = static_cast<unsigned>(batch)};
  record_note(note_of_begun_copy, block.watch()->keep(copy), continued(pc));
}

[[gnu::noinline]] void commit_copies() {
  Block& block = Block::of_this_thread();
  block.copies().commit(block.running_number());
}

[[gnu::noinline]] void wait_for_copies(std::size_t but_last) {
  const void* const pc = __builtin_return_address(0);
  Block& block = Block::of_this_thread();
  const std::size_t arrived = block.copies().wait(block.running_number(), but_last);
  if (recorder.next == nullptr) return;
  record_note(note_of_wait, static_cast<std::uint32_t>(arrived), pc);
}

}  // namespace tilewise::simt
