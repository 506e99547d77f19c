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

/// The variables of the module that a kernel is in: which of them a GPU has in its memory, and what
/// the others are called.
///
/// `__device__` and `__constant__` variables stay where the compiler has put them. Each byte of
/// what the module may write to has two places in device memory that nothing is ever stored at: one
/// among variables, one among constants. An access is written down with one of them, so that all
/// that is known, checked and counted by place holds for variables as for what cudaMalloc gives.
class ModuleVariables {
 public:
  /// Of the module that this code is in. Looked at once; call for the first time while no kernel
  /// runs.
  static const ModuleVariables& of(std::uintptr_t code);

  /// What a page of what the module may write to holds: variables of the host or nothing, of device
  /// memory, of constant memory, or several kinds.
  enum class Page : std::uint8_t { host, memory, constant, mixed };
  static constexpr unsigned page_bits = 12;

  std::uintptr_t base() const { return base_; }
  std::size_t bytes() const { return bytes_; }
  const Page* pages() const { return pages_.data(); }
  Place first_place() const { return first_place_; }
  Place first_constant() const { return first_place_ + static_cast<Place>(bytes_); }
  bool is_constant(Place place) const { return place - first_constant() < bytes_; }

  /// Where the bytes of a place are; those of no variable are in device memory.
  const std::byte* memory_of(Place place) const;

  /// The place of an address that the module may write to.
  Place place_of(std::uintptr_t address) const {
    return first_place_ + static_cast<Place>(address - base_);
  }
  bool is_variable_memory(std::uintptr_t address) const { return address - base_ < bytes_; }

  /// What a byte of a mixed page belongs to.
  Page kind_of(std::uintptr_t address) const;

  /// Of a `__managed__` variable, which the host may come to, too.
  static std::optional<Place> managed_place_of(std::uintptr_t address);

  /// The name of a variable that only the host has, at an address that some module or the running
  /// thread's copy of it holds; empty where there is none.
  std::string host_variable_at(const void* address) const;

  /// Whether a compiler counts there how often a line runs (`lab coverage`).
  bool is_line_count(const void* address) const;

  /// Whether the run-time's headers put it there for kernels to read.
  bool is_run_times(const void* address) const;

  /// Whether a shared variable at namespace scope is reached through it.
  bool leads_to_shared_memory(const void* address) const;

  /// Of all `__constant__` variables together.
  std::size_t constant_bytes() const { return constant_bytes_; }

  bool has_device_variables() const { return has_device_variables_; }

 private:
  explicit ModuleVariables(const LoadedModule& module);
  const ModuleSymbol* symbol_at(const void* address) const;
  void describe_device_variables();
  void find_references_to_shared_memory(std::vector<std::string> names);
  void mark(const ModuleSymbol& symbol, Page kind);

  LoadedModule module_;
  std::vector<ModuleSymbol> symbols_;                        ///< by address
  std::unordered_map<const ModuleSymbol*, Page> on_device_;  ///< what they are
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

/// What a symbol's variable is called in the source, without what it is a part of: "buf" for
/// `_ZN1SILi8EE3bufE`.
std::string source_name(const std::string& mangled);

}  // namespace tilewise::simt
