#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace tilewise::grading {

/// The facts that bound an index into a member and that the compiler's dumps leave out. The dumps
/// name a class only by its last name ("struct W" is a::W<float, 4> and b::W).
class KernelTypes {
 public:
  /// Records a class, or another name of one.
  /// @param name  without its enclosing scopes; empty where the class has none
  void add(std::string_view name, std::uint64_t bytes);

  /// Records a member that is an array without an extent or with an extent of 0: no index into it
  /// is checked.
  void add_unsized_member(std::string_view name) { unsized_members_.emplace(name); }

  /// Returns the size of the largest class of this name; 0 if there is none.
  std::uint64_t largest(std::string_view name) const;

  bool is_unsized_member(std::string_view name) const { return unsized_members_.contains(name); }

 private:
  std::map<std::string, std::uint64_t, std::less<>> bytes_;
  std::set<std::string, std::less<>> unsized_members_;
};

/// Reads g++'s debug information of -g -fno-eliminate-unused-debug-types.
KernelTypes kernel_types_of(const std::filesystem::path& object);

/// Whether a declaration in the dump is of an array without an extent or with an extent of 0.
bool is_unsized(std::string_view declaration);

/// Whether a statement of the dump accesses a local variable with an index that nothing bounds: as
/// another type than the variable's own that is too large, or in an array without elements. Indices
/// into all other arrays are checked when they are used (-fsanitize=bounds-strict).
/// @param is_local  whether a name is one of the function's own; accesses to others are reported
bool may_leave_a_local(std::string_view statement,
                       const std::set<std::string, std::less<>>& unsized_locals,
                       const std::function<bool(std::string_view name)>& is_local,
                       const KernelTypes& types);

}  // namespace tilewise::grading
