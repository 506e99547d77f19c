#include "grading/builder/object_file.hpp"

#include <cxxabi.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// A file that is open in libelf.
class ElfReader {
 public:
  explicit ElfReader(const fs::path& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY)) {
    elf_version(EV_CURRENT);
    if (descriptor_ >= 0) elf_ = elf_begin(descriptor_, ELF_C_READ, nullptr);
    if (elf_ == nullptr || elf_kind(elf_) != ELF_K_ELF) fail();
  }
  ~ElfReader() {
    elf_end(elf_);
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  ElfReader(const ElfReader&) = delete;
  ElfReader& operator=(const ElfReader&) = delete;

  Elf* get() const { return elf_; }

  [[noreturn]] void fail() const {
    throw std::runtime_error(fmt::format("cannot read {} as an object file", path_.string()));
  }

  std::size_t section_count() const {
    std::size_t count = 0;
    if (elf_getshdrnum(elf_, &count) != 0) fail();
    return count;
  }

  Elf_Scn* section(std::size_t index) const {
    Elf_Scn* found = elf_getscn(elf_, index);
    if (found == nullptr) fail();
    return found;
  }

  GElf_Shdr header(Elf_Scn* section) const {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) fail();
    return header;
  }

  Elf_Data* data(Elf_Scn* section) const {
    Elf_Data* found = elf_getdata(section, nullptr);
    if (found == nullptr) fail();
    return found;
  }

  std::string text(std::size_t strings, std::size_t offset) const {
    const char* found = elf_strptr(elf_, strings, offset);
    return found == nullptr ? "" : found;
  }

  unsigned machine() const {
    GElf_Ehdr header;
    if (gelf_getehdr(elf_, &header) == nullptr) fail();
    return header.e_machine;
  }

 private:
  fs::path path_;
  int descriptor_;
  Elf* elf_ = nullptr;
};

std::vector<ObjectFile::Symbol> symbols_of(const ElfReader& elf, Elf_Scn* table) {
  const GElf_Shdr header = elf.header(table);
  std::vector<ObjectFile::Symbol> symbols;
  const std::size_t count = header.sh_entsize == 0 ? 0 : header.sh_size / header.sh_entsize;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(elf.data(table), static_cast<int>(i), &symbol) == nullptr) elf.fail();
    const unsigned type = GELF_ST_TYPE(symbol.st_info), binding = GELF_ST_BIND(symbol.st_info);
    symbols.push_back({.name = elf.text(header.sh_link, symbol.st_name),
                       .section = symbol.st_shndx,
                       .is_local = binding == STB_LOCAL,
                       .is_weak = binding == STB_WEAK,
                       .is_indirect = type == STT_GNU_IFUNC,
                       .is_function = type == STT_FUNC || type == STT_GNU_IFUNC});
  }
  return symbols;
}

bool asks_a_function(unsigned machine, std::uint64_t type) {
  return (machine == EM_X86_64 && type == R_X86_64_IRELATIVE) ||
         (machine == EM_AARCH64 && type == R_AARCH64_IRELATIVE);
}

void read_references(const ElfReader& elf, Elf_Scn* section, ObjectFile& object) {
  const GElf_Shdr header = elf.header(section);
  if (header.sh_info >= object.sections.size() || !object.sections[header.sh_info].is_loaded)
    return;
  const std::size_t count = header.sh_entsize == 0 ? 0 : header.sh_size / header.sh_entsize;
  Elf_Data* data = elf.data(section);
  for (std::size_t i = 0; i < count; ++i) {
    // x86-64 and arm64 only use entries with an addend.
    GElf_Rela entry;
    if (gelf_getrela(data, static_cast<int>(i), &entry) == nullptr) elf.fail();
    const std::uint64_t type = GELF_R_TYPE(entry.r_info);
    object.references.push_back({header.sh_info, entry.r_offset, GELF_R_SYM(entry.r_info),
                                 asks_a_function(elf.machine(), type),
                                 elf.machine() == EM_X86_64 && type == R_X86_64_PLT32});
  }
}

}  // namespace

ObjectFile read_object(const fs::path& path) {
  const ElfReader elf(path);
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf.get(), &names) != 0) elf.fail();
  ObjectFile object;
  object.sections.resize(elf.section_count());
  for (std::size_t i = 1; i < object.sections.size(); ++i) {
    const GElf_Shdr header = elf.header(elf.section(i));
    object.sections[i] = {
        elf.text(names, header.sh_name),        (header.sh_flags & SHF_ALLOC) != 0,
        (header.sh_flags & SHF_EXECINSTR) != 0, (header.sh_flags & SHF_WRITE) != 0,
        (header.sh_flags & SHF_TLS) != 0,       header.sh_size};
    if (header.sh_type == SHT_SYMTAB) object.symbols = symbols_of(elf, elf.section(i));
  }
  for (std::size_t i = 1; i < object.sections.size(); ++i) {
    if (elf.header(elf.section(i)).sh_type == SHT_RELA) {
      read_references(elf, elf.section(i), object);
    }
  }
  return object;
}

std::vector<std::string> exported_names(const fs::path& library) {
  const ElfReader elf(library);
  std::vector<std::string> names;
  for (std::size_t i = 1; i < elf.section_count(); ++i) {
    if (elf.header(elf.section(i)).sh_type != SHT_DYNSYM) continue;
    for (const ObjectFile::Symbol& symbol : symbols_of(elf, elf.section(i))) {
      // Every object may have its own copy of a function in a header, which is a weak symbol.
      if (symbol.section == ObjectFile::nowhere || symbol.is_local || symbol.is_weak) continue;
      names.push_back(symbol.name);
    }
  }
  return names;
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : name;
}

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
  // libdwfl places the sections one behind the other, and stores their addresses in the headers.
  GElf_Addr bias = 0;
  Elf* elf = dwfl_module_getelf(module, &bias);
  GElf_Shdr header;
  if (elf == nullptr || gelf_getshdr(elf_getscn(elf, section), &header) == nullptr) return {};
  return lines_.find(module, header.sh_addr + bias + offset);
}

}  // namespace tilewise::grading
