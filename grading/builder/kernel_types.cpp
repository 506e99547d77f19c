#include "grading/builder/kernel_types.hpp"

#include <dwarf.h>

#include <algorithm>

#include "grading/builder/debug_info.hpp"

namespace tilewise::grading {
namespace {

/// Without a template's arguments, which the dumps leave out. They name what has no name in their
/// own ways ("._anon_5", "__lambda3"), so that all of that is one.
std::string_view plain_name(std::string_view name) {
  if (name.starts_with('.') || name.starts_with("__lambda")) return {};
  return name.substr(0, name.find('<'));
}

std::string_view name_of(Dwarf_Die& die) {
  const char* name = dwarf_diename(&die);
  return name == nullptr ? std::string_view() : name;
}

/// The type of a member or variable, past all other names of it and "const".
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
    types.add(name_of(die), UINT64_MAX);  // more than an int holds
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
