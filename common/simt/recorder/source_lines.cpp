#include "common/simt/recorder/modules.hpp"

#ifdef TILEWISE_LIBDW
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <utility>

#include "common/dwarf/source_lines.hpp"

namespace tilewise::simt {

namespace {

constexpr Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_linux_proc_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = nullptr,
    .debuginfo_path = nullptr,
};

/// The debugging information of the loaded modules. It is read anew if a module has been loaded
/// since.
class Modules {
 public:
  SourceLine find(std::uintptr_t pc) {
    Dwfl_Module* module = dwfl_ == nullptr ? nullptr : dwfl_addrmodule(dwfl_, pc);
    if (module == nullptr) {
      reopen();
      module = dwfl_ == nullptr ? nullptr : dwfl_addrmodule(dwfl_, pc);
    }
    if (module == nullptr) return {};
    auto [file, line] = lines_.find(module, pc);
    return {std::move(file), line};
  }

 private:
  void reopen() {
    if (dwfl_ != nullptr && module_file().is_given()) return;  // the one file is all there is
    if (dwfl_ != nullptr) dwfl_end(dwfl_);
    lines_ = {};
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

  dwarf::SourceLines lines_;
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

#else

tilewise::simt::SourceLine tilewise::simt::source_line(std::uintptr_t) { return {}; }

#endif
