#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/simt/recorder/modules.hpp"
#include "common/simt/recorder/record.hpp"

namespace tilewise::simt {

/// The variables of the module that a kernel is in: which of them a GPU has in its memory, and how
/// the others are named.
///
/// `__device__` and `__constant__` variables stay where the compiler has put them. Each byte that
/// the module may write to has two places in device memory at which nothing is ever stored: one
/// among variables, one among constants. An access is recorded with one of these places, so that
/// everything that is known, checked and counted by place applies to variables as to memory from
/// cudaMalloc.
class ModuleVariables {
 public:
  /// Returns the variables of the module that this code is in. A module is examined only once; call
  /// this for the first time while no kernel runs.
  static const ModuleVariables& of(std::uintptr_t code);

  /// What a page of the module's writable memory holds: variables of the host or nothing, variables
  /// in device memory, variables in constant memory, or several kinds.
  enum class Page : std::uint8_t { host, memory, constant, mixed };
  static constexpr unsigned page_bits = 12;

  std::uintptr_t base() const { return base_; }
  std::size_t bytes() const { return bytes_; }
  const Page* pages() const { return pages_.data(); }
  Place first_place() const { return first_place_; }
  Place first_constant() const { return first_place_ + static_cast<Place>(bytes_); }
  bool is_constant(Place place) const { return place - first_constant() < bytes_; }

  /// Returns where the bytes of a place are. Those that belong to no variable are in device memory.
  const std::byte* memory_of(Place place) const;

  /// Returns the place of an address that the module may write to.
  Place place_of(std::uintptr_t address) const {
    return first_place_ + static_cast<Place>(address - base_);
  }
  bool is_variable_memory(std::uintptr_t address) const { return address - base_ < bytes_; }

  /// Returns what a byte of a mixed page belongs to.
  Page kind_of(std::uintptr_t address) const;

  /// Returns the place of a `__managed__` variable, which the host may access, too.
  static std::optional<Place> managed_place_of(std::uintptr_t address);

  /// Returns the name of a variable that only the host has, at an address in the module or in the
  /// running thread's copy of it; empty if there is none.
  std::string host_variable_at(const void* address) const;

  /// Whether a compiler counts at the address how often a line runs (`lab coverage`).
  bool is_line_count(const void* address) const;

  /// Whether the run-time's headers define the variable there for kernels to read.
  bool is_run_times(const void* address) const;

  /// Whether a shared variable at namespace scope is reached through the variable there.
  bool leads_to_shared_memory(const void* address) const;

  /// Returns the size of all `__constant__` variables together.
  std::size_t constant_bytes() const { return constant_bytes_; }

  bool has_device_variables() const { return has_device_variables_; }

 private:
  explicit ModuleVariables(const LoadedModule& module);
  const ModuleSymbol* symbol_at(const void* address) const;
  void describe_device_variables();
  void find_references_to_shared_memory(std::vector<std::string> names);
  void mark(const ModuleSymbol& symbol, Page kind);

  LoadedModule module_;
  std::vector<ModuleSymbol> symbols_;                        ///< sorted by address
  std::unordered_map<const ModuleSymbol*, Page> on_device_;  ///< the kind of each device variable
  std::unordered_set<const ModuleSymbol*> to_shared_;        ///< references to shared memory
  std::unordered_set<const ModuleSymbol*> managed_;
  std::uintptr_t base_ = 0;
  std::size_t bytes_ = 0;
  std::vector<Page> pages_;
  std::vector<bool> taken_;  ///< pages that hold a variable
  Place first_place_ = 0;
  std::size_t constant_bytes_ = 0;
  bool has_device_variables_ = false;
};

/// Returns what a symbol's variable is called in the source, without the scopes that it is in:
/// "buf" for `_ZN1SILi8EE3bufE`.
std::string source_name(const std::string& mangled);

}  // namespace tilewise::simt
