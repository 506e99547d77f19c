#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/functions.hpp"
#include "grading/repair/statements.hpp"

namespace tilewise::grading {

using simt::rewriting::WrittenFunction;

/// Whether a token is an integer type.
bool names_integers(const Token& token);

/// A variable of a function.
struct Variable {
  /// Its type, as far as the tokens tell. Variables of the same type may replace one another.
  enum class Type { integer, real, pointer, array, other };
  std::string_view name;
  Type type;
  std::string base;  ///< the type without qualifiers; of a pointer or array, its elements'
  /// The tokens where its type begins (for a later declarator, behind the comma) and of its name.
  std::size_t type_begin, declared;
  Part seen;  ///< the tokens that may use it
  bool is_parameter = false;
  bool is_constant = false;
  bool is_evaluated = false;  ///< constexpr
  Part value = {0, 0};        ///< its initial value; empty: none
};

/// The variables of a function.
class Scope {
 public:
  Scope(const Outline& outline, const WrittenFunction& function, const Statement& body);

  const std::vector<Variable>& variables() const { return variables_; }

  /// The variable that a name stands for; nullptr if it stands for something else.
  const Variable* find(std::size_t token) const;

  /// The variables that could stand at a token, the latest declared first.
  std::vector<const Variable*> seen_at(std::size_t token) const;

 private:
  void add_parameters(const WrittenFunction& function);
  void add_declared(const Statement& statement, std::size_t end);
  void add_declaration(Part words, std::size_t end);
  /// Whether a token stands in a lambda without captures, which cannot use a variable.
  bool is_shut_out(const Variable& variable, std::size_t token) const;

  const Outline& outline_;
  const std::vector<Token>& code_;
  std::vector<Variable> variables_;
  std::vector<Part> without_captures_;  ///< lambdas, each from its `[` on
};

}  // namespace tilewise::grading
