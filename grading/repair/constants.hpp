#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grading/repair/variant.hpp"

/// What is fixed when a program is compiled, and what could stand in its place.
namespace tilewise::grading {

/// Constants of a function, by what could stand for one another: those without a qualifier under
/// "", members of a class, as in `Shape::rows`, under its name.
class Constants {
 public:
  explicit Constants(const Place& place);

  /// The constant that begins at a token; empty where none does.
  Part at(std::size_t i) const;

  /// Names of those without a qualifier that could stand at a token.
  std::vector<std::string> names_at(std::size_t token) const;

  /// What could stand there in its place.
  std::vector<std::string> others(Part constant) const;

 private:
  bool is_member(std::size_t i) const;
  void add_parameters_of_template();

  const Place& place_;
  const std::vector<Token>& code_;
  std::map<std::string_view, std::set<std::string_view>> groups_;  ///< of outside the function
};

/// A constexpr integer that stands in a class, or outside of all; none of a template of its own.
struct OuterConstant {
  std::string_view name;
  Part definition;  ///< from its name on
  Part value;
  std::size_t begin_of_class;  ///< its bracket; 0: of none
};
std::vector<OuterConstant> outer_constants(const Outline& outline);

/// The `sizeof(float)` that begins at a token; empty where none does.
Part size_at(const Place& place, std::size_t i);

/// What could stand in the place of `sizeof(float)`: the size of what matrices have in this
/// function.
std::vector<std::string> other_sizes(const Place& place, Part given);

}  // namespace tilewise::grading
