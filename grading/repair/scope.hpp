#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/functions.hpp"
#include "grading/repair/statements.hpp"

namespace tilewise::grading {

using simt::rewriting::WrittenFunction;

/// Whether a word is a type of integers.
bool names_integers(const Token& token);

/// A variable of a function.
struct Variable {
  /// What may take its place: what has the same type, as far as words tell.
  enum class Type { integer, real, pointer, array, other };
  std::string_view name;
  Type type;
  std::string base;                  ///< of a pointer or array what it leads to
  std::size_t type_begin, declared;  ///< tokens where its type begins, or a comma, and of its name
  Part seen;                         ///< tokens that may use it
  bool is_parameter = false;
  bool is_constant = false;
  bool is_evaluated = false;  ///< constexpr
  Part value = {0, 0};        ///< that it is declared with; empty: none
};

/// The variables of a function.
class Scope {
 public:
  Scope(const Outline& outline, const WrittenFunction& function, const Statement& body);

  const std::vector<Variable>& variables() const { return variables_; }

  /// The variable that a name stands for; nullptr where it stands for something else.
  const Variable* find(std::size_t token) const;

  /// Those that could stand at a token, the latest first.
  std::vector<const Variable*> seen_at(std::size_t token) const;

 private:
  void add_parameters(const WrittenFunction& function);
  void add_declared(const Statement& statement, std::size_t end);
  void add_declaration(Part words, std::size_t end);
  /// Whether a token stands in a lambda that captures nothing, and cannot use it.
  bool is_shut_out(const Variable& variable, std::size_t token) const;

  const Outline& outline_;
  const std::vector<Token>& code_;
  std::vector<Variable> variables_;
  std::vector<Part> without_captures_;  ///< lambdas, from their brackets on
};

}  // namespace tilewise::grading
