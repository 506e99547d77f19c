// What `-fsanitize=bounds` calls where an index is outside of its array's extent, in place of the
// sanitizer's own run-time. The layouts are the sanitizer's (compiler-rt, ubsan_handlers.h).

#include <cstdint>
#include <string>

#include "common/simt/runtime/block_watch.hpp"

namespace {

struct SourceLocation {
  const char* file;
  std::uint32_t line;
  std::uint32_t column;
};

struct TypeDescriptor {
  std::uint16_t kind;  // 0: integer
  std::uint16_t info;  // of an integer: bit 0 signed, above the binary logarithm of its bits
  char name[1];        // quoted, and longer than declared
};

struct OutOfBoundsData {
  SourceLocation location;
  const TypeDescriptor* array;
  const TypeDescriptor* index;
};

std::int64_t value_of(const TypeDescriptor& type, std::uintptr_t handle) {
  const unsigned bits = 1u << (type.info >> 1);
  if (bits >= 64) return static_cast<std::int64_t>(handle);
  const bool is_signed = (type.info & 1) != 0;
  const std::uint64_t cut = handle & ((std::uint64_t{1} << bits) - 1);
  const bool negative = is_signed && (cut >> (bits - 1) & 1) != 0;
  return static_cast<std::int64_t>(negative ? cut - (std::uint64_t{1} << bits) : cut);
}

/// The type without the quotation marks around it, as g++ writes it: "float [16]", where clang has
/// "float[16]".
std::string type_name(const char* name) {
  std::string text = name;
  if (text.size() >= 2 && text.front() == '\'') text = text.substr(1, text.size() - 2);
  const std::size_t bracket = text.find('[');
  if (bracket != std::string::npos && bracket > 0 && text[bracket - 1] != ' ') {
    text.insert(bracket, 1, ' ');
  }
  return text;
}

}  // namespace

extern "C" void __ubsan_handle_out_of_bounds(OutOfBoundsData* data, std::uintptr_t index) {
  using namespace tilewise::simt;
  if (recorder.next == nullptr) return;
  BlockWatch& watch = BlockWatch::of_this_thread();
  watch.pause_recording();
  watch.note_index_fault({type_name(data->array->name), value_of(*data->index, index),
                          data->location.file, static_cast<int>(data->location.line)});
}
