#include <cuda_runtime.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "grading/worker/simt_host_process.hpp"

namespace tilewise::grading {
namespace {

// The names that compilers give to the declarations in common/simt/include/tilewise.
constexpr std::string_view run_time = "_ZN8tilewise4simt";
constexpr std::string_view shared_room = "_ZN8tilewise4simt11shared_roomI";
constexpr std::string_view named_kernel_run = "_ZN8tilewise4simt10run_threadINS0_9NamedCallI";
constexpr std::string_view chosen_kernel_run = "_ZN8tilewise4simt10run_threadINS0_10ChosenCallI";
constexpr std::string_view kernel_list = "__patchable_function_entries";

/// The mark that lists a kernel lies behind the kernel's first instruction at the latest, so at
/// most this many bytes from its beginning.
constexpr std::uint64_t farthest_mark = 16;

#if defined(__aarch64__)
constexpr std::uint64_t resolver_relocation = 1032;  // R_AARCH64_IRELATIVE
#else
constexpr std::uint64_t resolver_relocation = 37;  // R_X86_64_IRELATIVE
#endif

/// A tag that no loader knows, so that loaders skip the entry.
constexpr Elf64_Sxword unknown_tag = 0x6000'7477;

[[noreturn]] void refuse(const std::string& reason) {
  throw std::runtime_error("cannot load the module: " + reason);
}

std::vector<char> contents_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) refuse("cannot read " + path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::uintptr_t at(const void* base, std::uint64_t offset) {
  return reinterpret_cast<std::uintptr_t>(base) + offset;
}

using Function = void (*)();

Function function_at(std::uintptr_t address) { return reinterpret_cast<Function>(address); }

bool lies_in(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges,
             std::uint64_t address) {
  return std::ranges::any_of(
      ranges, [&](const auto& range) { return address >= range.first && address < range.second; });
}

// The functions to run at exit. They are kept here because std::atexit() passes no arguments.
std::vector<Function> at_exit;

void run_at_exit() {
  for (const Function function : at_exit) function();
}

}  // namespace

ModuleImage::ModuleImage(const std::string& path) : bytes_(contents_of(path)) {
  elf_version(EV_CURRENT);
  const std::unique_ptr<Elf, decltype(&elf_end)> elf(elf_memory(bytes_.data(), bytes_.size()),
                                                     &elf_end);
  GElf_Ehdr header;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr ||
      header.e_type != ET_DYN || header.e_ident[EI_CLASS] != ELFCLASS64) {
    refuse(path + " is no module");
  }
  read_segments(elf.get());
  read_sections(elf.get());
}

void ModuleImage::read_segments(Elf* elf) {
  std::size_t count = 0;
  elf_getphdrnum(elf, &count);
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) refuse("it is damaged");
    const Range range = {segment.p_vaddr, segment.p_vaddr + segment.p_memsz};
    if (segment.p_type == PT_LOAD) {
      ((segment.p_flags & PF_W) != 0 ? writable_ : read_only_).push_back(range);
    } else if (segment.p_type == PT_GNU_RELRO) {
      sealed_.push_back(range);
    } else if (segment.p_type == PT_DYNAMIC) {
      take_initialisers_out(segment.p_offset, segment.p_filesz);
    }
  }
}

void ModuleImage::take_initialisers_out(std::uint64_t file_offset, std::uint64_t bytes) {
  if (file_offset > bytes_.size() || bytes > bytes_.size() - file_offset) refuse("it is damaged");
  for (std::uint64_t i = 0; i + sizeof(Elf64_Dyn) <= bytes; i += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    std::memcpy(&entry, bytes_.data() + file_offset + i, sizeof entry);
    switch (entry.d_tag) {
      case DT_INIT:
        initialisers_.single = entry.d_un.d_ptr;
        break;
      case DT_INIT_ARRAY:
        initialisers_.table = entry.d_un.d_ptr;
        break;
      case DT_INIT_ARRAYSZ:
        initialisers_.table_bytes = entry.d_un.d_val;
        break;
      case DT_FINI:
        finalisers_.single = entry.d_un.d_ptr;
        break;
      case DT_FINI_ARRAY:
        finalisers_.table = entry.d_un.d_ptr;
        break;
      case DT_FINI_ARRAYSZ:
        finalisers_.table_bytes = entry.d_un.d_val;
        break;
      default:
        continue;
    }
    entry.d_tag = unknown_tag;
    std::memcpy(bytes_.data() + file_offset + i, &entry, sizeof entry);
  }
}

void ModuleImage::read_sections(Elf* elf) {
  std::size_t names = 0;
  elf_getshdrstrndx(elf, &names);
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) refuse("it is damaged");
    const char* const name = elf_strptr(elf, names, header.sh_name);
    if (name != nullptr && name == kernel_list && (header.sh_flags & SHF_ALLOC) != 0) {
      kernel_lists_.push_back({header.sh_addr, header.sh_addr + header.sh_size});
    }
    const bool has_relocations = header.sh_type == SHT_RELA;
    const bool has_symbols = header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM;
    if (!has_relocations && !has_symbols) continue;
    Elf_Data* const data = elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) refuse("it is damaged");
    const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
    for (int i = 0; has_relocations && i < count; ++i) {
      GElf_Rela relocation;
      if (gelf_getrela(data, i, &relocation) != nullptr &&
          GELF_R_TYPE(relocation.r_info) == resolver_relocation) {
        refuse("it has functions that are chosen while it is loaded (ifunc)");
      }
    }
    for (int i = 0; has_symbols && i < count; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, i, &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) continue;
      const char* const called = elf_strptr(elf, header.sh_link, symbol.st_name);
      const auto type = GELF_ST_TYPE(symbol.st_info);
      if (type == STT_GNU_IFUNC) {
        refuse("it has functions that are chosen while it is loaded (ifunc)");
      }
      if (called == nullptr || (type != STT_FUNC && type != STT_OBJECT)) continue;
      // What compilers make for themselves, such as pointers to functions, is not a variable of the
      // submission's.
      const std::string_view name = called;
      if (name.starts_with("DW.ref.") || name == "__dso_handle") continue;
      (type == STT_FUNC ? functions_ : variables_)
          .push_back({called, symbol.st_value, symbol.st_value + symbol.st_size});
    }
  }
}

int ModuleImage::without_initialisers() const {
  const int file = memfd_create("module", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
  for (std::size_t done = 0; done < bytes_.size();) {
    const ssize_t written = write(file, bytes_.data() + done, bytes_.size() - done);
    if (written < 0) {
      const int error = errno;
      close(file);
      throw std::system_error(error, std::generic_category(), "cannot copy the module");
    }
    done += static_cast<std::size_t>(written);
  }
  fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
  return file;
}

void ModuleImage::run_initialisers(const void* base) const {
  // The finalisers of the table run last one first, then the single one runs.
  const std::size_t last_count = finalisers_.table_bytes / sizeof(Function);
  const auto* const last = reinterpret_cast<const Function*>(at(base, finalisers_.table));
  for (std::size_t i = last_count; i > 0; --i) at_exit.push_back(last[i - 1]);
  if (finalisers_.single != 0) at_exit.push_back(function_at(at(base, finalisers_.single)));
  std::atexit(run_at_exit);

  if (initialisers_.single != 0) function_at(at(base, initialisers_.single))();
  const std::size_t count = initialisers_.table_bytes / sizeof(Function);
  const auto* const first = reinterpret_cast<const Function*>(at(base, initialisers_.table));
  for (std::size_t i = 0; i < count; ++i) first[i]();
}

std::vector<void*> ModuleImage::shared_rooms(const void* base) const {
  std::vector<void*> rooms;
  for (const Symbol& variable : variables_) {
    const bool is_room = variable.name.starts_with(shared_room) &&
                         variable.end - variable.begin == sizeof(simt::SharedRoom);
    if (is_room) rooms.push_back(reinterpret_cast<void*>(at(base, variable.begin)));
  }
  return rooms;
}

simt::ModuleMap ModuleImage::map(const void* base) const {
  simt::ModuleMap map;
  for (const auto& [begin, end] : read_only_) {
    map.literals.emplace_back(at(base, begin), at(base, end));
  }
  for (const Symbol& variable : variables_) {
    // The host may write neither the run-time's own variables nor those that the loader has sealed.
    if (variable.name.starts_with(run_time) || !lies_in(writable_, variable.begin) ||
        lies_in(sealed_, variable.begin)) {
      continue;
    }
    map.variables.emplace_back(at(base, variable.begin), at(base, variable.end));
  }
  for (const Symbol& function : functions_) {
    const std::uintptr_t address = at(base, function.begin);
    if (function.name.starts_with(named_kernel_run)) map.named_kernel_runs.insert(address);
    if (function.name.starts_with(chosen_kernel_run)) map.chosen_kernel_runs.insert(address);
  }
  std::set<std::uintptr_t> marks;
  for (const auto& [begin, end] : kernel_lists_) {
    const auto* const list = reinterpret_cast<const std::uintptr_t*>(at(base, begin));
    marks.insert(list, list + (end - begin) / sizeof *list);
  }
  for (const Symbol& function : functions_) {
    const std::uintptr_t address = at(base, function.begin);
    const auto mark = marks.lower_bound(address);
    if (mark != marks.end() && *mark - address <= farthest_mark && *mark < at(base, function.end)) {
      map.kernels.insert(address);
    }
  }
  return map;
}

}  // namespace tilewise::grading
