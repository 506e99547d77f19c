#include "grading/builder/debug_info.hpp"

#include <gelf.h>

#include "grading/builder/object_lines.hpp"

namespace tilewise::grading {
namespace {

constexpr Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

}  // namespace

DebugInfo::DebugInfo(const std::filesystem::path& object) : dwfl_(dwfl_begin(&callbacks)) {
  if (dwfl_ == nullptr) return;
  module_ = dwfl_report_offline(dwfl_.get(), "object", object.c_str(), -1);
  dwfl_report_end(dwfl_.get(), nullptr, nullptr);
}

dwarf::SourceLine ObjectLines::find(std::size_t section, std::uint64_t offset) {
  Dwfl_Module* const module = debug_info_.module();
  if (module == nullptr) return {};
  // libdwfl lays the sections out, one behind the other, and leaves the addresses in the headers.
  GElf_Addr bias = 0;
  Elf* elf = dwfl_module_getelf(module, &bias);
  GElf_Shdr header;
  if (elf == nullptr || gelf_getshdr(elf_getscn(elf, section), &header) == nullptr) return {};
  return lines_.find(module, header.sh_addr + bias + offset);
}

}  // namespace tilewise::grading
