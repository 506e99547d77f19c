#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace tilewise::grading {

/// What bounds an index into a member, as far as the compiler's dumps do not tell: they name a
/// class by its last name alone ("struct W" is a::W<float, 4> and b::W).
class KernelTypes {
 public:
  /// Notes a class, or another name of one.
  /// @param name  without what it is declared in; empty where it has none
  void add(std::string_view name, std::uint64_t bytes);

  /// Notes a member that is an array without an extent, or of none: no index into it is checked.
  void add_unsized_member(std::string_view name) { unsized_members_.emplace(name); }

  /// Size of the largest class of this name; 0 if there is none.
  std::uint64_t largest(std::string_view name) const;

  bool is_unsized_member(std::string_view name) const { return unsized_members_.contains(name); }

 private:
  std::map<std::string, std::uint64_t, std::less<>> bytes_;
  std::set<std::string, std::less<>> unsized_members_;
};

/// Reads what g++ writes by -g -fno-eliminate-unused-debug-types.
KernelTypes kernel_types_of(const std::filesystem::path& object);

/// Whether a declaration in the dump is of an array without an extent, or of none.
bool is_unsized(std::string_view declaration);

/// Whether a statement of the dump accesses a local variable with an index that nothing bounds: by
/// another type than the variable's own and too large a one, or in an array of no elements.
/// Indices into all other arrays are checked when they are used (-fsanitize=bounds-strict).
/// @param is_local  whether a name is one of the function's own; accesses to others are reported
bool may_leave_a_local(std::string_view statement,
                       const std::set<std::string, std::less<>>& unsized_locals,
                       const std::function<bool(std::string_view name)>& is_local,
                       const KernelTypes& types);

}  // namespace tilewise::grading
