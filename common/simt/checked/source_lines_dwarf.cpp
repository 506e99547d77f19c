#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "common/simt/checked/module_file.hpp"
#include "common/simt/checked/source_lines.hpp"

namespace tilewise::simt {

namespace {

constexpr Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_linux_proc_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = nullptr,
    .debuginfo_path = nullptr,
};

/// The loaded modules' debugging information. Reads them anew where a module was loaded since.
class Modules {
 public:
  SourceLine find(std::uintptr_t pc) {
    Dwfl_Module* module = dwfl_ == nullptr ? nullptr : dwfl_addrmodule(dwfl_, pc);
    if (module == nullptr) {
      reopen();
      module = dwfl_ == nullptr ? nullptr : dwfl_addrmodule(dwfl_, pc);
    }
    if (module == nullptr) return {};
    const SourceLine innermost = line_of_instruction(module, pc);
    if (is_kernel_file(innermost.file)) return innermost;
    const SourceLine caller = line_of_caller(module, pc);
    return caller.file.empty() ? innermost : caller;
  }

 private:
  static bool is_kernel_file(std::string_view file) {
    return file.ends_with(".cu") || file.ends_with(".cuh");
  }

  void reopen() {
    if (dwfl_ != nullptr && module_file().is_given()) return;  // there is nothing else
    if (dwfl_ != nullptr) dwfl_end(dwfl_);
    inlined_calls_.clear();
    dwfl_ = dwfl_begin(&callbacks);
    if (dwfl_ == nullptr) return;
    const bool reported = module_file().is_given()
                              ? dwfl_report_elf(dwfl_, "module", "module", module_file().descriptor,
                                                module_file().base, false) != nullptr
                              : dwfl_linux_proc_report(dwfl_, getpid()) == 0;
    if (!reported || dwfl_report_end(dwfl_, nullptr, nullptr) != 0) {
      dwfl_end(dwfl_);
      dwfl_ = nullptr;
    }
  }

  /// As #line or the command line named it: without the folder the compiler ran in.
  static std::string without_folder(std::string_view file, const char* folder) {
    if (folder == nullptr) return std::string(file);
    const std::string_view prefix = folder;
    const bool inside =
        file.size() > prefix.size() && file.starts_with(prefix) && file[prefix.size()] == '/';
    return std::string(inside ? file.substr(prefix.size() + 1) : file);
  }

  static const char* folder_of(Dwarf_Die* unit) {
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  }

  static SourceLine line_of_instruction(Dwfl_Module* module, Dwarf_Addr pc) {
    Dwfl_Line* line = dwfl_module_getsrc(module, pc);
    if (line == nullptr) return {};
    int number = 0;
    const char* file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
    return file == nullptr ? SourceLine{}
                           : SourceLine{without_folder(file, dwfl_line_comp_dir(line)), number};
  }

  /// A function inlined into another, at one stretch of its instructions.
  struct InlinedCall {
    Dwarf_Addr begin, end;
    SourceLine caller;
  };

  /// Goes out of inlined functions to the first call that stands in a kernel file.
  SourceLine line_of_caller(Dwfl_Module* module, Dwarf_Addr pc) {
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = dwfl_module_addrdie(module, pc, &bias);
    if (unit == nullptr) return {};
    const auto [entry, is_new] = inlined_calls_.try_emplace(unit->addr);
    if (is_new) collect(unit, unit, entry->second);
    const InlinedCall* innermost = nullptr;
    for (const InlinedCall& call : entry->second) {
      if (pc - bias < call.begin || pc - bias >= call.end) continue;
      // Of two of the same extent the inner one was collected later.
      if (innermost == nullptr || call.end - call.begin <= innermost->end - innermost->begin) {
        innermost = &call;
      }
    }
    return innermost == nullptr ? SourceLine{} : innermost->caller;
  }

  /// All below `die`: what is inlined into a function may be described outside of that function's
  /// own entry, for instance in that of the lambda's class.
  void collect(Dwarf_Die* unit, Dwarf_Die* die, std::vector<InlinedCall>& calls) {
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0) return;
    do {
      if (dwarf_tag(&child) == DW_TAG_inlined_subroutine) {
        const SourceLine caller = call_of(unit, &child);
        Dwarf_Addr base = 0, begin = 0, end = 0;
        std::ptrdiff_t offset = 0;
        while (is_kernel_file(caller.file) &&
               (offset = dwarf_ranges(&child, offset, &base, &begin, &end)) > 0) {
          calls.push_back({begin, end, caller});
        }
      }
      collect(unit, &child, calls);
    } while (dwarf_siblingof(&child, &child) == 0);
  }

  static SourceLine call_of(Dwarf_Die* unit, Dwarf_Die* inlined) {
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

  std::map<void*, std::vector<InlinedCall>> inlined_calls_;  ///< by unit
  Dwfl* dwfl_ = nullptr;
};

}  // namespace

SourceLine source_line(std::uintptr_t pc) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static Modules* modules = new Modules;  // outlives static destructors that use it
  static auto* known = new std::map<std::uintptr_t, SourceLine>;
  const auto entry = known->find(pc);
  if (entry != known->end()) return entry->second;
  return known->emplace(pc, modules->find(pc)).first->second;
}

}  // namespace tilewise::simt
