#include "common/dwarf/source_lines.hpp"

#include <dwarf.h>
#include <elfutils/libdwfl.h>

namespace tilewise::dwarf {
namespace {

/// The file's name as a line directive or the command line gave it, without the folder that the
/// compiler ran in.
std::string without_folder(std::string_view file, const char* folder) {
  if (folder == nullptr) return std::string(file);
  const std::string_view prefix = folder;
  const bool inside =
      file.size() > prefix.size() && file.starts_with(prefix) && file[prefix.size()] == '/';
  return std::string(inside ? file.substr(prefix.size() + 1) : file);
}

const char* folder_of(Dwarf_Die* unit) {
  Dwarf_Attribute attribute;
  return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}

SourceLine line_of_instruction(Dwfl_Module* module, Dwarf_Addr pc) {
  Dwfl_Line* line = dwfl_module_getsrc(module, pc);
  if (line == nullptr) return {};
  int number = 0;
  const char* file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
  return file == nullptr ? SourceLine{}
                         : SourceLine{without_folder(file, dwfl_line_comp_dir(line)), number};
}

SourceLine call_of(Dwarf_Die* unit, Dwarf_Die* inlined) {
  Dwarf_Attribute attribute;
  Dwarf_Word file_index = 0, line = 0;
  Dwarf_Files* files = nullptr;
  std::size_t file_count = 0;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file_index) != 0 ||
      dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0 ||
      dwarf_getsrcfiles(unit, &files, &file_count) != 0 || file_index >= file_count) {
    return {};
  }
  const char* file = dwarf_filesrc(files, file_index, nullptr, nullptr);
  return file == nullptr
             ? SourceLine{}
             : SourceLine{without_folder(file, folder_of(unit)), static_cast<int>(line)};
}

}  // namespace

struct SourceLines::Unit {
  Dwarf_Die* die;
};

bool SourceLines::is_kernel_file(std::string_view file) {
  return file.ends_with(".cu") || file.ends_with(".cuh");
}

SourceLine SourceLines::find(Dwfl_Module* module, std::uint64_t pc) {
  const SourceLine innermost = line_of_instruction(module, pc);
  if (is_kernel_file(innermost.file)) return innermost;
  const SourceLine caller = line_of_caller(module, pc);
  return caller.file.empty() ? innermost : caller;
}

/// Goes outwards through the inlined functions to the first call in a kernel file.
SourceLine SourceLines::line_of_caller(Dwfl_Module* module, std::uint64_t pc) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = dwfl_module_addrdie(module, pc, &bias);
  if (unit == nullptr) return {};
  const auto [entry, is_new] = inlined_calls_.try_emplace(unit->addr);
  if (is_new) collect({unit}, {unit}, entry->second);
  const InlinedCall* innermost = nullptr;
  for (const InlinedCall& call : entry->second) {
    if (pc - bias < call.begin || pc - bias >= call.end) continue;
    // If two calls have the same extent, the inner one was collected later.
    if (innermost == nullptr || call.end - call.begin <= innermost->end - innermost->begin) {
      innermost = &call;
    }
  }
  return innermost == nullptr ? SourceLine{} : innermost->caller;
}

/// Collects everything below `die`, because a function that is inlined into another may be
/// described outside the other's own entry, for instance in the entry of the lambda's class.
void SourceLines::collect(const Unit& unit, const Unit& die, std::vector<InlinedCall>& calls) {
  Dwarf_Die child;
  if (dwarf_child(die.die, &child) != 0) return;
  do {
    if (dwarf_tag(&child) == DW_TAG_inlined_subroutine) {
      const SourceLine caller = call_of(unit.die, &child);
      Dwarf_Addr base = 0, begin = 0, end = 0;
      std::ptrdiff_t offset = 0;
      while (is_kernel_file(caller.file) &&
             (offset = dwarf_ranges(&child, offset, &base, &begin, &end)) > 0) {
        calls.push_back({begin, end, caller});
      }
    }
    collect(unit, {&child}, calls);
  } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace tilewise::dwarf
