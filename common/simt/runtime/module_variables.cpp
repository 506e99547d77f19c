#include "common/simt/runtime/module_variables.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simt/include/tilewise/device_variables.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/host_memory.hpp"

namespace tilewise::simt {

namespace {

constexpr std::size_t page_bytes = std::size_t{1} << ModuleVariables::page_bits;

/// The names that the rewriter and its macros give to what they add.
constexpr std::string_view list_name = "tilewise_variables", gap_name = "tilewise_gap_",
                           shape_name = "tilewise_shape_", block_name = "tilewise_block_";

/// The module that has `__managed__` variables. All kernels of a program are in one module.
const ModuleVariables* with_managed = nullptr;

std::string demangled(const std::string& mangled) {
  if (!mangled.starts_with("_Z")) return mangled;  // "d" is not a type here
  int status = 0;
  char* text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 ? text : mangled;
  std::free(text);
  return result;
}

/// The variables that the kernel files of a module declare, listed as "device counter;constant
/// weights;shared As;".
class DeclaredNames {
 public:
  void add(std::string_view list) {
    while (!list.empty()) {
      const std::string_view entry = list.substr(0, list.find(';'));
      const std::size_t blank = entry.find(' ');
      if (blank != entry.npos) {
        const std::string name(entry.substr(blank + 1));
        if (entry.starts_with("shared")) {
          shared_.push_back(name);
        } else {
          names_[name] = entry.substr(0, blank);
        }
      }
      list.remove_prefix(std::min(list.size(), entry.size() + 1));
    }
  }
  /// Returns an empty text if nothing is declared by that name.
  std::string_view kind_of(const std::string& name) const {
    const auto found = names_.find(name);
    return found == names_.end() ? std::string_view() : found->second;
  }
  /// Returns the shared variables at namespace scope, each as often as it is declared.
  const std::vector<std::string>& shared() const { return shared_; }

 private:
  std::map<std::string, std::string> names_;
  std::vector<std::string> shared_;
};

/// Whether the symbol is a static variable of a function, which a device has in device memory,
/// however it is declared.
bool is_local_static(const ModuleSymbol& symbol) { return symbol.mangled.starts_with("_ZZ"); }

}  // namespace

std::string source_name(const std::string& mangled) {
  // Compilers add ".0" and similar suffixes to symbols that they copy or rename.
  std::string name = demangled(mangled.substr(0, mangled.find('.')));
  std::size_t end = name.size();
  int depth = 0;
  if (end > 0 && name[end - 1] == '>') {
    do {
      --end;
      depth += name[end] == '>' ? 1 : name[end] == '<' ? -1 : 0;
    } while (end > 0 && depth > 0);
  }
  name.resize(end);
  const std::size_t scope = name.rfind("::");
  if (scope != name.npos) name.erase(0, scope + 2);
  const std::size_t blank = name.rfind(' ');
  if (blank != name.npos) name.erase(0, blank + 1);
  return name;
}

const ModuleVariables& ModuleVariables::of(std::uintptr_t code) {
  static std::mutex mutex;
  static auto* known =
      new std::map<std::pair<std::uintptr_t, std::string>, std::unique_ptr<ModuleVariables>>;
  static std::uintptr_t last_code = 0;
  static const ModuleVariables* last = nullptr;
  const std::lock_guard lock(mutex);
  if (last != nullptr && last_code == code) return *last;
  const LoadedModule module = module_at(code).value_or(LoadedModule{});
  std::unique_ptr<ModuleVariables>& variables = (*known)[{module.base, module.path}];
  if (!variables) variables.reset(new ModuleVariables(module));
  last_code = code;
  last = variables.get();
  return *last;
}

ModuleVariables::ModuleVariables(const LoadedModule& module)
    : module_(module), symbols_(symbols_of(module, SymbolKind::variable)) {
  const std::uintptr_t begin = module.writable_begin / page_bytes * page_bytes;
  const std::size_t bytes =
      (module.writable_end - begin + page_bytes - 1) / page_bytes * page_bytes;
  first_place_ = DeviceMemory::instance().reserve_places(2 * bytes);
  if (first_place_ == 0) return;
  base_ = begin;
  bytes_ = bytes;
  // If nothing is known of a module's variables, any of them may be in device memory.
  pages_.assign(bytes / page_bytes, symbols_.empty() ? Page::memory : Page::host);
  taken_.resize(bytes / page_bytes);
  describe_device_variables();
}

void ModuleVariables::mark(const ModuleSymbol& symbol, Page kind) {
  const std::size_t last = symbol.address + std::max<std::size_t>(symbol.bytes, 1) - 1 - base_;
  for (std::size_t i = (symbol.address - base_) / page_bytes;
       i <= last / page_bytes && i < bytes_ / page_bytes; ++i) {
    pages_[i] = taken_[i] && pages_[i] != kind ? Page::mixed : kind;
    taken_[i] = true;
  }
}

ModuleVariables::Page ModuleVariables::kind_of(std::uintptr_t address) const {
  const ModuleSymbol* symbol = symbol_at(reinterpret_cast<const void*>(address));
  if (symbol == nullptr) return Page::memory;
  const auto found = on_device_.find(symbol);
  return found == on_device_.end() ? Page::host : found->second;
}

void ModuleVariables::describe_device_variables() {
  DeclaredNames declared;
  std::map<std::string, VariableShape> shapes;
  for (const ModuleSymbol& symbol : symbols_) {
    if (symbol.thread_local_storage) continue;
    const std::string name = source_name(symbol.mangled);
    const auto* at = reinterpret_cast<const char*>(symbol.address);
    if (name == list_name) declared.add({at, strnlen(at, symbol.bytes)});
    if (name.starts_with(shape_name) && symbol.bytes == sizeof(VariableShape)) {
      const std::size_t of = name.find("_of_");
      if (of != name.npos) std::memcpy(&shapes[name.substr(of + 4)], at, sizeof(VariableShape));
    }
  }
  find_references_to_shared_memory(declared.shared());
  for (const ModuleSymbol& symbol : symbols_) {
    if (symbol.thread_local_storage) continue;
    const std::string name = source_name(symbol.mangled);
    const std::string_view kind = declared.kind_of(name);
    if (kind == "constant") constant_bytes_ += symbol.bytes;
    if (!is_variable_memory(symbol.address)) continue;
    const bool constant = kind == "constant";
    const bool managed = kind == "managed";
    const bool is_device = kind == "device" || constant || managed || is_local_static(symbol);
    const bool is_gap = name.starts_with(gap_name);
    const Page page_kind = constant              ? Page::constant
                           : is_device || is_gap ? Page::memory
                                                 : Page::host;
    mark(symbol, page_kind);
    if (!is_device || is_gap || symbol.bytes == 0) continue;
    has_device_variables_ = true;
    on_device_.emplace(&symbol, page_kind);
    if (managed) managed_.insert(&symbol);
    BufferDescription description{.name = name, .bytes = symbol.bytes, .read_only = constant};
    if (const auto shape = shapes.find(name); shape != shapes.end()) {
      description.element_bytes = shape->second.element_bytes;
      description.row_elements = shape->second.row_elements;
      description.scalar = shape->second.is_array == 0;
    }
    const Place place = place_of(symbol.address) + static_cast<Place>(constant ? bytes_ : 0);
    DeviceMemory& memory = DeviceMemory::instance();
    memory.describe(memory.base() + place, std::move(description));
  }
  if (managed_.empty()) return;
  with_managed = this;
  follow_host(base_, bytes_);
}

std::optional<Place> ModuleVariables::managed_place_of(std::uintptr_t address) {
  if (with_managed == nullptr || !with_managed->is_variable_memory(address)) return std::nullopt;
  const ModuleSymbol* symbol = with_managed->symbol_at(reinterpret_cast<const void*>(address));
  if (!with_managed->managed_.contains(symbol)) return std::nullopt;
  return with_managed->place_of(address);
}

const std::byte* ModuleVariables::memory_of(Place place) const {
  const Place offset = place - first_place_;
  if (bytes_ == 0 || offset >= 2 * bytes_) return DeviceMemory::instance().base() + place;
  return reinterpret_cast<const std::byte*>(base_ + offset % bytes_);
}

const ModuleSymbol* ModuleVariables::symbol_at(const void* address) const {
  auto number = reinterpret_cast<std::uintptr_t>(address);
  bool thread_local_storage = false;
  if (module_.thread_local_bytes > 0) {
    const auto block = reinterpret_cast<std::uintptr_t>(thread_local_block(module_));
    if (block != 0 && number - block < module_.thread_local_bytes) {
      thread_local_storage = true;
      number -= block;
    }
  }
  auto after = std::upper_bound(
      symbols_.begin(), symbols_.end(), number,
      [](std::uintptr_t wanted, const ModuleSymbol& symbol) { return wanted < symbol.address; });
  while (after != symbols_.begin()) {
    const ModuleSymbol& symbol = *--after;
    if (symbol.thread_local_storage == thread_local_storage) {
      if (number - symbol.address < symbol.bytes) return &symbol;
      if (symbol.bytes > 0) return nullptr;
    }
  }
  return nullptr;
}

std::string ModuleVariables::host_variable_at(const void* address) const {
  const ModuleSymbol* symbol = symbol_at(address);
  if (symbol == nullptr || on_device_.contains(symbol)) return "";
  const std::string name = source_name(symbol->mangled);
  return name.starts_with(gap_name) ? "" : name;
}

// Names in a source cannot contain a dot. All of these counters' names do, except the first one of
// clang's.
bool ModuleVariables::is_line_count(const void* address) const {
  constexpr std::string_view clangs = "__llvm_gcov_ctr";
  const ModuleSymbol* symbol = symbol_at(address);
  if (symbol == nullptr) return false;
  const std::string& name = symbol->mangled;
  if (name == clangs) {
    return std::any_of(symbols_.begin(), symbols_.end(), [&](const ModuleSymbol& other) {
      return other.mangled.starts_with(clangs) && other.mangled.find('.') == clangs.size();
    });
  }
  return name.find('.') != name.npos && (name.starts_with("__gcov") || name.starts_with(clangs));
}

bool ModuleVariables::is_run_times(const void* address) const {
  const ModuleSymbol* symbol = symbol_at(address);
  return symbol != nullptr && !symbol->thread_local_storage &&
         (symbol->mangled.starts_with("_ZN8tilewise4simt") ||
          symbol->mangled.starts_with("_ZGVN8tilewise4simt"));
}

// Each of the simulator's threads has references of its own, which it sets when it first gets
// there. Only as many are taken as are declared, because otherwise another variable of the same
// name would be memory that no check counts.
void ModuleVariables::find_references_to_shared_memory(std::vector<std::string> names) {
  std::size_t blocks = names.size();
  for (const ModuleSymbol& symbol : symbols_) {
    if (!symbol.thread_local_storage) continue;
    const std::string name = source_name(symbol.mangled);
    if (symbol.bytes == 1 && name == "__tls_guard" && !names.empty()) to_shared_.insert(&symbol);
    if (symbol.bytes != sizeof(void*)) continue;
    if (name.starts_with(block_name)) {
      if (blocks == 0) continue;
      --blocks;
    } else {
      const auto declared = std::find(names.begin(), names.end(), name);
      if (declared == names.end()) continue;
      declared->clear();
    }
    to_shared_.insert(&symbol);
  }
}

bool ModuleVariables::leads_to_shared_memory(const void* address) const {
  return to_shared_.contains(symbol_at(address));
}

}  // namespace tilewise::simt
