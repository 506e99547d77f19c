#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grading/repair/variant.hpp"

/// Compile-time constants of a source, and what could replace them.
namespace tilewise::grading {

/// The constants that a function may use. Constants of one group may replace one another: those
/// without a qualifier form one group, and so do the members of each class, as in `Shape::rows`.
class Constants {
 public:
  explicit Constants(const Place& place);

  /// The constant that begins at a token; empty if none does.
  Part at(std::size_t i) const;

  /// The names of the constants without a qualifier that could stand at a token, those first that
  /// are used nearest to it.
  std::vector<std::string> names_at(std::size_t token) const;

  /// The constants that could replace one, at most six.
  std::vector<std::string> others(Part constant) const;

 private:
  bool is_member(std::size_t i) const;
  void sort_by_nearness(std::vector<std::string>& names, std::size_t token) const;
  void add_parameters_of_template();

  const Place& place_;
  const std::vector<Token>& code_;
  /// The names declared outside the function, by the class that qualifies them; "": unqualified.
  std::map<std::string_view, std::set<std::string_view>> groups_;
};

/// A constexpr integer in a class or at namespace scope. Variable templates are left out.
struct OuterConstant {
  std::string_view name;
  Part definition;  ///< from its name to the end of its value
  Part value;
  std::size_t begin_of_class;  ///< the class's opening brace; 0: it stands in no class
};
std::vector<OuterConstant> outer_constants(const Outline& outline);

/// The `sizeof(float)`, or another sizeof, that begins at a token; empty if none does.
Part size_at(const Place& place, std::size_t i);

/// What could replace `sizeof(float)`: the sizes of the other element types that matrices and
/// arrays have in this function.
std::vector<std::string> other_sizes(const Place& place, Part given);

}  // namespace tilewise::grading
