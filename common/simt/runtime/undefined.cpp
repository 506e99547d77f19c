/// \file
/// The functions that the checks of a compiler's -fsanitize call where a kernel does what C++
/// leaves undefined, in place of the sanitizer's own run-time. The layouts are the sanitizer's
/// (compiler-rt, ubsan_handlers.h).
#include "common/simt/runtime/undefined.hpp"

#include <bit>
#include <cstring>

#include "common/base/language.hpp"
#include "common/simt/recorder/modules.hpp"
#include "common/simt/recorder/record.hpp"
#include "common/simt/runtime/block.hpp"
#include "common/simt/runtime/block_watch.hpp"

namespace {

struct SourceLocation {
  const char* file;
  std::uint32_t line;
  std::uint32_t column;
};

struct TypeDescriptor {
  std::uint16_t kind;  // 0: integer, 1: floating point
  std::uint16_t info;  // integer: bit 0 signed, then log2 of the bits; else the bits
  char name[1];        // quoted, and longer than declared
};

struct OutOfBoundsData {
  SourceLocation location;
  const TypeDescriptor* array;
  const TypeDescriptor* index;
};

/// The types of a shift's operand and distance, or of a conversion's source and target.
struct ArithmeticData {
  SourceLocation location;
  const TypeDescriptor* left;
  const TypeDescriptor* right;
};

unsigned bits_of_integer(const TypeDescriptor& type) { return 1u << (type.info >> 1); }

std::int64_t value_of(const TypeDescriptor& type, std::uintptr_t handle) {
  const unsigned bits = bits_of_integer(type);
  if (bits >= 64) return static_cast<std::int64_t>(handle);
  const bool is_signed = (type.info & 1) != 0;
  const std::uint64_t cut = handle & ((std::uint64_t{1} << bits) - 1);
  const bool negative = is_signed && (cut >> (bits - 1) & 1) != 0;
  return static_cast<std::int64_t>(negative ? cut - (std::uint64_t{1} << bits) : cut);
}

/// Returns the value. One that does not fit into the handle is passed by its address.
double real_value_of(const TypeDescriptor& type, std::uintptr_t handle) {
  if (type.info == 32) return std::bit_cast<float>(static_cast<std::uint32_t>(handle));
  if (type.info == 64) return std::bit_cast<double>(std::uint64_t{handle});
  long double wide = 0;
  std::memcpy(&wide, reinterpret_cast<const void*>(handle), sizeof wide);
  return static_cast<double>(wide);
}

std::string unquoted(const char* name) {
  std::string text = name;
  if (text.size() >= 2 && text.front() == '\'') text = text.substr(1, text.size() - 2);
  return text;
}

/// Returns the name as g++ writes it: "float [16]", where clang has "float[16]".
std::string array_name(const char* name) {
  std::string text = unquoted(name);
  const std::size_t bracket = text.find('[');
  if (bracket != std::string::npos && bracket > 0 && text[bracket - 1] != ' ') {
    text.insert(bracket, 1, ' ');
  }
  return text;
}

void note(tilewise::simt::DoubtfulArithmetic arithmetic) {
  using namespace tilewise::simt;
  if (recorder.next != nullptr) Block::of_this_thread().note_arithmetic(arithmetic);
}

}  // namespace

extern "C" void __ubsan_handle_out_of_bounds(OutOfBoundsData* data, std::uintptr_t index) {
  using namespace tilewise::simt;
  if (recorder.next == nullptr) return;
  Block& block = Block::of_this_thread();
  BlockWatch& watch = *block.watch();
  watch.pause_recording();
  watch.note_index_fault({array_name(data->array->name), value_of(*data->index, index),
                          data->location.file, static_cast<int>(data->location.line)});
  if (!watch.counts_in_vain()) return;
  watch.pause_recording();
  follow(block.break_off_access({}));  // the faults of the first threads are enough for a report
}

extern "C" void __ubsan_handle_shift_out_of_bounds(ArithmeticData* data, std::uintptr_t,
                                                   std::uintptr_t by) {
  note({.what = tilewise::simt::DoubtfulArithmetic::What::shift,
        .place = reinterpret_cast<std::uintptr_t>(data),
        .bits = static_cast<std::uint64_t>(value_of(*data->right, by))});
}

extern "C" void __ubsan_handle_float_cast_overflow(ArithmeticData* data, std::uintptr_t from) {
  note({.what = tilewise::simt::DoubtfulArithmetic::What::conversion,
        .place = reinterpret_cast<std::uintptr_t>(data),
        .bits = std::bit_cast<std::uint64_t>(real_value_of(*data->left, from))});
}

namespace tilewise::simt {

Finding finding_of(const DoubtfulArithmetic& arithmetic, const std::string& who) {
  Finding finding{.kind = "arithmetic"};
  if (arithmetic.what == DoubtfulArithmetic::What::division_by_zero) {
    const SourceLine line = source_line(arithmetic.place);
    finding.file = line.file;
    finding.line = line.line;
    finding.message =
        tr("{} divides by zero: a GPU goes on with a number that nothing "
           "specifies, all of whose bits are set as a rule",
           who);
    return finding;
  }
  const auto& data = *reinterpret_cast<const ArithmeticData*>(arithmetic.place);
  finding.file = data.location.file;
  finding.line = static_cast<int>(data.location.line);
  if (arithmetic.what == DoubtfulArithmetic::What::shift) {
    const unsigned bits = bits_of_integer(*data.left);
    finding.message =
        tr("{} shifts a number of type {} by {}, and it has {} bits: C++ says nothing of the "
           "result. A GPU shifts all of them out as a rule, a CPU takes what {} leaves by {}",
           who, unquoted(data.left->name), static_cast<std::int64_t>(arithmetic.bits), bits,
           static_cast<std::int64_t>(arithmetic.bits), bits);
  } else {
    finding.message =
        tr("{} converts {:g} to {}, which has no such number: C++ says nothing of the result. A "
           "GPU gives the nearest number that there is as a rule, and 0 for NaN; a CPU another",
           who, std::bit_cast<double>(arithmetic.bits), unquoted(data.right->name));
  }
  return finding;
}

}  // namespace tilewise::simt
