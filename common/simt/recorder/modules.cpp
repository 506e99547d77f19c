#include "common/simt/recorder/modules.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "common/base/files.hpp"
#include "common/simt/host_apart.hpp"

namespace tilewise::simt {

namespace {

ModuleFile given;

}  // namespace

const ModuleFile& module_file() { return given; }

void use_module_file(int file, const void* base) {
  given = {file, reinterpret_cast<std::uintptr_t>(base)};
}

namespace {

/// Calls visit(dl_phdr_info&) for the loaded modules, until it returns true.
template <class Visit>
bool any_module(Visit visit) {
  const auto call = [](dl_phdr_info* module, std::size_t, void* wanted) {
    return (*static_cast<Visit*>(wanted))(*module) ? 1 : 0;
  };
  return dl_iterate_phdr(call, &visit) != 0;
}

template <class Visit>
void for_each_segment(const dl_phdr_info& module, Visit visit) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module.dlpi_phdr[i];
    visit(segment, module.dlpi_addr + segment.p_vaddr);
  }
}

bool has_loaded(const dl_phdr_info& module, std::uintptr_t address) {
  bool found = false;
  for_each_segment(module, [&](const ElfW(Phdr) & segment, std::uintptr_t begin) {
    found = found || (segment.p_type == PT_LOAD && address - begin < segment.p_memsz);
  });
  return found;
}

LoadedModule describe(const dl_phdr_info& module) {
  LoadedModule found{.path = module.dlpi_name, .base = module.dlpi_addr};
  std::uintptr_t fixed_end = 0;  // end of what the loader has made read-only
  for_each_segment(module, [&](const ElfW(Phdr) & segment, std::uintptr_t begin) {
    const std::uintptr_t end = begin + segment.p_memsz;
    if (segment.p_type == PT_TLS) found.thread_local_bytes = segment.p_memsz;
    if (segment.p_type == PT_GNU_RELRO) fixed_end = end;
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) return;
    found.writable_begin =
        found.writable_end == 0 ? begin : std::min(found.writable_begin, std::uintptr_t{begin});
    found.writable_end = std::max(found.writable_end, end);
  });
  if (fixed_end > found.writable_begin && fixed_end <= found.writable_end) {
    found.writable_begin = fixed_end;
  }
  return found;
}

/// Returns the whole of a module's file; empty if it cannot be read.
std::string contents_of(const LoadedModule& module) {
  const ModuleFile& given = module_file();
  if (!given.is_given() || given.base != module.base) {
    return core::text_of(module.path.empty() ? "/proc/self/exe" : module.path);
  }
  std::string contents;
  char part[1 << 16];
  ssize_t bytes = 0;
  while ((bytes = pread(given.descriptor, part, sizeof part, ssize_t(contents.size()))) > 0) {
    contents.append(part, static_cast<std::size_t>(bytes));
  }
  return contents;
}

/// Returns a structure at an offset into a file; nothing if the file ends too early.
template <class T>
std::optional<T> read_at(const std::string& file, std::size_t offset) {
  if (offset > file.size() || sizeof(T) > file.size() - offset) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

void add_symbols(const std::string& file, const ElfW(Shdr) & table, const ElfW(Shdr) & names,
                 std::uintptr_t base, SymbolKind kind, std::vector<ModuleSymbol>& found) {
  for (std::size_t at = 0; at + sizeof(ElfW(Sym)) <= table.sh_size; at += sizeof(ElfW(Sym))) {
    const auto symbol = read_at<ElfW(Sym)>(file, table.sh_offset + at);
    if (!symbol) return;
    const unsigned type = symbol->st_info & 0xFu;
    const bool thread_local_storage = type == STT_TLS;
    const bool is_variable = type == STT_OBJECT || thread_local_storage;
    const bool is_wanted = kind == SymbolKind::variable ? is_variable : type == STT_FUNC;
    if (!is_wanted || symbol->st_shndx == SHN_UNDEF) continue;
    const std::size_t name = names.sh_offset + symbol->st_name;
    if (symbol->st_name >= names.sh_size || name >= file.size()) continue;
    found.push_back({.address = (thread_local_storage ? 0 : base) + symbol->st_value,
                     .bytes = symbol->st_size,
                     .thread_local_storage = thread_local_storage,
                     .mangled = file.c_str() + name});
  }
}

}  // namespace

std::optional<LoadedModule> module_at(std::uintptr_t code) {
  std::optional<LoadedModule> found;
  any_module([&](const dl_phdr_info& module) {
    if (has_loaded(module, code)) found = describe(module);
    return found.has_value();
  });
  return found;
}

const std::byte* thread_local_block(const LoadedModule& module) {
  const std::byte* block = nullptr;
  any_module([&](const dl_phdr_info& other) {
    if (other.dlpi_addr != module.base || other.dlpi_name != module.path) return false;
    block = static_cast<const std::byte*>(other.dlpi_tls_data);
    return true;
  });
  return block;
}

bool is_read_only_in_a_module(std::uintptr_t address) {
  return any_module([&](const dl_phdr_info& module) {
    if (!has_loaded(module, address)) return false;
    const LoadedModule found = describe(module);
    return address < found.writable_begin || address >= found.writable_end;
  });
}

std::vector<ModuleSymbol> symbols_of(const LoadedModule& module, SymbolKind kind) {
  std::vector<ModuleSymbol> found;
  const std::string file = contents_of(module);
  const auto header = read_at<ElfW(Ehdr)>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return found;
  const auto section = [&](std::size_t i) {
    return read_at<ElfW(Shdr)>(file, header->e_shoff + i * sizeof(ElfW(Shdr)));
  };
  for (std::size_t i = 0; i < header->e_shnum; ++i) {
    const auto table = section(i);
    if (!table || table->sh_type != SHT_SYMTAB) continue;
    const auto names = section(table->sh_link);
    if (names) add_symbols(file, *table, *names, module.base, kind, found);
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.address < b.address; });
  return found;
}

}  // namespace tilewise::simt
