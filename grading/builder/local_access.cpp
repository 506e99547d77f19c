#include "grading/builder/local_access.hpp"

#include <dwarf.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <iterator>

#include "grading/builder/object_file.hpp"
#include "grading/builder/source_file.hpp"

namespace tilewise::grading {
namespace {

/// Nobody can access anything so far beyond a stack (common/simt/runtime/stack_pool.cpp).
constexpr std::uint64_t most_bytes = 64 * 1024;

/// Returns the most bytes that an element that is not a class may have. Any unknown name may be
/// that of a vector.
std::uint64_t scalar_bytes(std::string_view type) {
  constexpr std::uint64_t largest_scalar = 16, widest_vector = 64;
  constexpr std::string_view words_of_scalars[] = {"const", "volatile", "unsigned", "signed",
                                                   "char",  "short",    "int",      "long",
                                                   "float", "double",   "bool"};
  if (const std::size_t shown = type.find_last_of("(<"); shown != type.npos) {
    type.remove_prefix(shown + 1);  // "(float[4] &" of the cast, "MEM <float[4]" of the access
  }
  type = type.substr(0, type.find_first_of("[&*"));
  for (std::size_t begin = 0; begin < type.size();) {
    if (!is_word(type[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < type.size() && is_word(type[end])) ++end;
    if (std::ranges::find(words_of_scalars, type.substr(begin, end - begin)) ==
        std::end(words_of_scalars)) {
      return widest_vector;
    }
    begin = end;
  }
  return largest_scalar;
}

std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b) {
  return std::min(a, most_bytes + 1) * std::min(b, most_bytes + 1);
}

/// Returns the most bytes that "const float[4][8]" or "struct W &" may have; more than `most_bytes`
/// if this is unknown.
std::uint64_t bytes_of(std::string_view type, const KernelTypes& types) {
  constexpr std::uint64_t unknown = most_bytes + 1;
  std::uint64_t all = 0;
  for (const std::string_view kind : {"struct ", "class ", "union "}) {
    const std::size_t at = type.find(kind);
    if (at == type.npos) continue;
    std::string_view name = type.substr(at + kind.size());
    name = name.substr(0, name.find_first_of(" [&"));
    all = types.largest(name);
    if (all == 0) return unknown;
  }
  const bool is_class = all != 0;
  if (!is_class) all = scalar_bytes(type);
  std::size_t open = type.find('[');
  if (open == type.npos && !is_class) return unknown;
  for (; open != type.npos; open = type.find('[')) {
    type.remove_prefix(open + 1);
    std::uint64_t extent = 0;
    const auto [end, error] = std::from_chars(type.data(), type.data() + type.size(), extent);
    // "[]", "[n]" and "[0:18446744073709551615]" give no extent.
    if (error != std::errc() || end == type.data() + type.size() || *end != ']') return unknown;
    all = bounded_product(all, extent);
  }
  return std::min(all, unknown);
}

/// Whether one of the indices in ".v[_15]" or "[3][i_2]" is not a number.
bool has_variable_index(std::string_view path) {
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (path[i] == '[' && std::isdigit(static_cast<unsigned char>(path[i + 1])) == 0) return true;
  }
  return false;
}

/// Returns the bracket that closes the one at `open`.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']' && --depth == 0) return i;
  }
  return text.size();
}

/// Returns the bracket that opens the one at `close`.
std::size_t opening(std::string_view text, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i > 0; --i) {
    if (text[i - 1] == ']') ++depth;
    if (text[i - 1] == '[' && --depth == 0) return i - 1;
  }
  return 0;
}

using IsLocal = std::function<bool(std::string_view)>;

/// Whether "D.2985.v + 4B" begins with a local variable of the function.
bool begins_with_local(std::string_view text, const IsLocal& is_local) {
  std::size_t end = 0;
  while (end < text.size()) {
    while (end < text.size() && is_word(text[end])) ++end;
    if (is_local(text.substr(0, end))) return true;
    if (end == text.size() || text[end] != '.') return false;
    ++end;
  }
  return false;
}

/// Whether an access of the form "MEM <T[8]> [(T &)&variable + 4B][_3]", which begins at `at`, may
/// leave the variable.
bool may_leave_its_variable(std::string_view text, std::size_t at, const IsLocal& is_local,
                            const KernelTypes& types) {
  const std::string_view access = text.substr(at);
  // It begins with "MEM[", or with "MEM <type> [" and a type that may have extents of its own.
  const std::size_t typed = access.find("> [");
  const std::size_t open = access.starts_with("MEM <") && typed != access.npos ? typed + 2 : 3;
  if (open >= access.size() || access[open] != '[') return false;
  const std::size_t close = closing(access, open);
  if (close == access.size()) return false;
  const std::string_view inside = access.substr(open + 1, close - open - 1);
  // A pointer's cast is "(T *)", and a variable's address "&v". Accesses by pointers are all
  // reported.
  const std::size_t cast = inside.rfind(")&");
  if (cast == inside.npos || !begins_with_local(inside.substr(cast + 2), is_local)) return false;
  std::uint64_t offset = 0;
  if (const std::size_t plus = inside.find(" + ", cast); plus != inside.npos) {
    offset = most_bytes;
    const std::string_view number = inside.substr(plus + 3);
    std::from_chars(number.data(), number.data() + number.size(), offset);
    if (offset >= most_bytes) return true;
  }
  std::size_t end = close + 1;
  while (end < access.size() &&
         (is_word(access[end]) || access[end] == '.' || access[end] == '[')) {
    end = access[end] == '[' ? std::min(closing(access, end) + 1, access.size()) : end + 1;
  }
  if (!has_variable_index(access.substr(close + 1, end - close - 1))) return false;
  const std::string_view type = open > 3 ? access.substr(0, typed) : inside.substr(0, cast);
  return offset + bytes_of(type, types) > most_bytes;
}

/// Whether the object whose member is named from `dot` on, as in "e.in[2].v", is a local variable
/// and not behind a pointer.
bool is_of_a_local(std::string_view text, std::size_t dot) {
  std::size_t begin = dot;
  while (begin > 0) {
    const char before = text[begin - 1];
    if (before == ']') {
      begin = opening(text, begin - 1);
    } else if (is_word(before) || before == '.') {
      --begin;
    } else {
      break;
    }
  }
  const std::size_t open = text.find('[', begin);
  if (text.substr(begin).starts_with("MEM[") || text[begin] == '[') {  // [ of "MEM <T> ["
    return text.substr(open, closing(text, open) - open).find(")&") != text.npos;
  }
  const bool is_pointed_to = begin > 0 && (text[begin - 1] == '>' || text[begin - 1] == ')');
  return !is_pointed_to;
}

}  // namespace

bool is_unsized(std::string_view declaration) {
  return declaration.find("[0:18446744073709551615]") != declaration.npos;
}

bool may_leave_a_local(std::string_view statement,
                       const std::set<std::string, std::less<>>& unsized_locals,
                       const IsLocal& is_local, const KernelTypes& types) {
  for (std::size_t at = 0; (at = statement.find("MEM", at)) != statement.npos; at += 3) {
    if (may_leave_its_variable(statement, at, is_local, types)) return true;
  }
  for (std::size_t open = 0; (open = statement.find('[', open)) != statement.npos; ++open) {
    std::size_t begin = open;
    while (begin > 0 && is_word(statement[begin - 1])) --begin;
    const std::string_view name = statement.substr(begin, open - begin);
    const bool is_member = begin > 0 && statement[begin - 1] == '.';
    if (is_member ? types.is_unsized_member(name) && is_of_a_local(statement, begin - 1)
                  : unsized_locals.contains(name)) {
      return true;
    }
  }
  return false;
}

namespace {

/// Returns the name without template arguments, which the dumps leave out. Dumps and debug
/// information each have their own names for unnamed classes ("._anon_5", "__lambda3"), so these
/// all get the same name.
std::string_view plain_name(std::string_view name) {
  if (name.starts_with('.') || name.starts_with("__lambda")) return {};
  return name.substr(0, name.find('<'));
}

std::string_view name_of(Dwarf_Die& die) {
  const char* name = dwarf_diename(&die);
  return name == nullptr ? std::string_view() : name;
}

/// Finds the type of a member or variable, without aliases and "const".
bool type_of(Dwarf_Die& die, Dwarf_Die* type) {
  Dwarf_Attribute attribute;
  return dwarf_formref_die(dwarf_attr_integrate(&die, DW_AT_type, &attribute), type) != nullptr &&
         dwarf_peel_type(type, type) == 0;
}

/// Whether one of an array's extents is missing or 0.
bool is_unsized_array(Dwarf_Die type) {
  Dwarf_Die extent;
  while (dwarf_tag(&type) == DW_TAG_array_type) {
    if (dwarf_child(&type, &extent) != 0) return true;
    do {
      Dwarf_Attribute attribute;
      Dwarf_Word last = 0;
      const bool is_known =
          dwarf_formudata(dwarf_attr(&extent, DW_AT_upper_bound, &attribute), &last) == 0;
      if (!is_known || last + 1 == 0 || static_cast<std::uint32_t>(last) + 1 == 0) return true;
    } while (dwarf_siblingof(&extent, &extent) == 0);
    if (!type_of(type, &type)) return false;
  }
  return false;
}

void note(Dwarf_Die& die, KernelTypes& types) {
  const int tag = dwarf_tag(&die);
  Dwarf_Die type = die;
  if (tag == DW_TAG_member) {
    if (type_of(die, &type) && is_unsized_array(type)) types.add_unsized_member(name_of(die));
    return;
  }
  if (tag == DW_TAG_typedef && !type_of(die, &type)) return;
  const int kind = dwarf_tag(&type);
  if (kind != DW_TAG_structure_type && kind != DW_TAG_class_type && kind != DW_TAG_union_type) {
    return;
  }
  if (const int bytes = dwarf_bytesize(&type); bytes > 0) {
    types.add(name_of(die), static_cast<std::uint64_t>(bytes));
  } else if (bytes < 0 && !dwarf_hasattr(&type, DW_AT_declaration)) {
    types.add(name_of(die), UINT64_MAX);  // the size is more than an int holds
  }
}

void note_all_in(Dwarf_Die parent, KernelTypes& types) {
  Dwarf_Die die;
  if (dwarf_child(&parent, &die) != 0) return;
  do {
    note(die, types);
    note_all_in(die, types);
  } while (dwarf_siblingof(&die, &die) == 0);
}

}  // namespace

void KernelTypes::add(std::string_view name, std::uint64_t bytes) {
  std::uint64_t& largest = bytes_[std::string(plain_name(name))];
  largest = std::max(largest, bytes);
}

std::uint64_t KernelTypes::largest(std::string_view name) const {
  const auto entry = bytes_.find(plain_name(name));
  return entry == bytes_.end() ? 0 : entry->second;
}

KernelTypes kernel_types_of(const std::filesystem::path& object) {
  KernelTypes types;
  const DebugInfo debug_info(object);
  if (debug_info.module() == nullptr) return types;
  Dwarf_Addr bias = 0;
  for (Dwarf_Die* unit = nullptr;
       (unit = dwfl_module_nextcu(debug_info.module(), unit, &bias)) != nullptr;) {
    note_all_in(*unit, types);
  }
  return types;
}

}  // namespace tilewise::grading
