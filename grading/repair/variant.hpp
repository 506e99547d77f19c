#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/functions.hpp"
#include "grading/repair/scope.hpp"
#include "grading/repair/statements.hpp"

/// Small changes that could be made to a source, one at a time.
namespace tilewise::grading {

using simt::rewriting::SourceText;
using simt::rewriting::WrittenFunction;

/// A change of one place that a variable of the program may choose at run time.
struct Change {
  enum class Form {
    sides,       ///< `text` replaces a grid's or block's dimensions, around changes of that value
    expression,  ///< `text` replaces a value
    condition,   ///< `text` replaces a boolean value
    statement,   ///< `text` replaces statements
    operand,     ///< `text` precedes an operand, and is neutral if another variant runs
    insertion,   ///< `text` precedes a statement
  };
  Form form;
  Part words;  ///< the tokens replaced; for operand and insertion only the place
  /// For an operand, @ stands for 1 in this variant and for 0 in others. For an expression, @
  /// stands for its type.
  std::string text;
};

/// A text that replaces tokens of the source.
struct Rewording {
  Part words;  ///< the tokens replaced; empty: `text` comes in front of the token
  std::string text;
};

/// One thing to try.
struct Variant {
  std::vector<Change> changes;   ///< empty if it changes what is fixed at compile time
  int line = 0;                  ///< the line of the first change
  std::vector<Rewording> edits;  ///< the edits that make the change in the source itself
  /// What to do, as part of a sentence: "on line 12 write ... in place of ...". If it is empty,
  /// Place::add() derives it from the edits.
  std::string words = {};
  bool is_of_barrier = false;
  /// It makes the rows of a tile longer or shorter, so that its columns lie in other banks.
  bool is_of_pitch = false;
  int loops = 0;  ///< the loops around an inserted barrier: with fewer, threads wait less often
  /// How large the change is. The search reports the smallest one that is right.
  int cost = 1;
  /// The kind of change, by its place in the list of kinds that vary_all() tries.
  std::size_t kind = 0;
  double distance = 0;  ///< how unlikely it is; sort_by_likelihood() sets it
  /// The first token of the condition between two paths that it changes; 0: none.
  std::size_t condition = 0;
  /// It adds a test to the condition of a fast path, such as that a step is whole or that a row
  /// consists of whole vectors. If the test fails, the path is rightly not taken.
  bool asks_for_more = false;
  /// One of two paths is always taken, which tells where a fault is but mends nothing.
  bool takes_one_path = false;
  /// How uncertain it is, from the tokens alone, that the variant compiles. If a line does not
  /// compile, the most daring variants on it are removed first.
  int daring = 0;
};

/// A function that is searched for variants, and the variants found so far.
class Place {
 public:
  Place(const SourceText& source, std::string_view text, const WrittenFunction& function);

  const Outline& outline() const { return source_.outline; }
  const std::vector<Token>& code() const { return source_.outline.code(); }
  const WrittenFunction& function() const { return function_; }
  const Statement& body() const { return body_; }
  const Scope& scope() const { return scope_; }

  /// The function itself, and the ones before and behind it in the source.
  std::span<const WrittenFunction> neighbours() const;

  /// Whether a token may be exchanged at run time. Declarations of shared memory, constants and
  /// arguments of templates may not.
  bool may_vary(std::size_t token) const { return !is_fixed_[token - function_.body]; }

  /// Whether the expression that begins at a token must be an lvalue, because its address is taken
  /// or it is incremented or decremented.
  bool is_place_wanted(std::size_t first) const;

  /// The whole source.
  std::string_view text() const { return text_; }

  /// The text of tokens as the source has it.
  std::string text_of(Part words) const;

  /// The text of tokens on one line.
  std::string words_of(Part words) const;

  /// Describes rewordings line by line:
  /// "on line 12 write 'B[k * n + col]' in place of 'B[k * n + row]'".
  std::string rewritten(const std::vector<Rewording>& rewordings) const;

  /// Sets the kind of all variants that are added from now on.
  void begin_kind(std::size_t kind) { kind_ = kind; }

  void add(Variant variant);

  /// Adds a change of one expression.
  /// @param daring as in Variant
  void add_expression(Part words, const std::string& text, int cost = 1, int daring = 0);
  void add_condition(Part words, const std::string& text, int cost, bool asks_for_more = false);

  /// Adds two variants: with one of them a condition always holds, with the other it never does.
  void add_paths(Part condition);

  /// Returns all variants that were added, with the conditions that they change.
  std::vector<Variant> found() const;

 private:
  void fix(Part words);

  const SourceText& source_;
  std::string_view text_;
  const WrittenFunction& function_;
  Statement body_;
  Scope scope_;
  std::vector<char> is_fixed_;
  std::vector<Part> conditions_;  ///< the conditions that choose between two paths
  std::size_t kind_ = 0;
  std::vector<Variant> found_;
};

/// Whether a token is `threadIdx`, `blockIdx`, `blockDim` or `gridDim`.
bool is_builtin(const Token& token);

/// Returns `y` for the member `x` of a built-in variable, and `x` for any other.
std::string other_side(std::string_view member);

/// Whether a token is a name that stands for its variable's value.
bool is_read(const Place& place, std::size_t i);

/// The value of a token that is an integer; nothing for other tokens and numbers with a suffix.
std::optional<long> whole_number(const Token& token);

/// Whether an operand may end at a token.
bool ends_operand(const Token& token);

/// The operand that begins at a token: a name with its subscripts, members and arguments, a number,
/// or an expression in parentheses. Empty if there is none.
Part operand_at(const Place& place, std::size_t first);

/// Whether a number is the 1 of `(n + side - 1) / side`. Another number or sign there gives an
/// unnoticed extra step and mends nothing.
bool rounds_up(const std::vector<Token>& code, std::size_t number);

/// What could replace tokens that are a single constant: the other constants of its class or of the
/// function. Empty if the tokens are something else.
std::vector<std::string> constants_like(const Place& place, Part words);

/// Some of the constants without a qualifier that could stand at a token of a function, such as the
/// parameters of its template.
std::vector<std::string> constants_seen_at(const Place& place, std::size_t token);

/// Describes the place in front of a token: "before line 12, 'sum = 0;'".
std::string words_before(const Place& place, std::size_t token);

/// The brackets that follow a name, without themselves: for `As[i][ty]` the words `i` and `ty`.
std::vector<Part> subscripts_of(const Place& place, std::size_t name);

// Each of these functions adds the variants of one kind.
void vary_builtins(Place& place);
void vary_alike_names(Place& place);
void vary_other_names(Place& place);
void vary_pairs(Place& place);
void vary_both_sides(Place& place);
void vary_elements(Place& place);
void vary_alike(Place& place);
void vary_constants(Place& place);
void vary_products(Place& place);
void vary_factors(Place& place);
void vary_numbers(Place& place);
void vary_operators(Place& place);
void vary_bounds(Place& place);
void vary_quotients(Place& place);
void vary_subscripts(Place& place);
void vary_arguments(Place& place);
void vary_bytes_of_copies(Place& place);
void vary_limited_indices(Place& place);
void vary_rounding(Place& place);
void vary_functions(Place& place);
void vary_conditions(Place& place);
void vary_fast_paths(Place& place);
void vary_guards(Place& place);
void transpose_tiles(Place& place);
void vary_left_values(Place& place);
void vary_assignments(Place& place);
void vary_initial_values(Place& place);
void vary_starts(Place& place);
void vary_loops(Place& place);
void vary_cases(Place& place);
void vary_barriers(Place& place);
void vary_turns(Place& place);
void vary_jumps(Place& place);
void vary_order(Place& place);
void vary_fixed(Place& place);

/// Whether a function is constexpr or consteval, so that the compiler may run it.
bool is_constant(const std::vector<Token>& code, const WrittenFunction& function);

/// Adds to some functions all functions of the source that they call or launch, and so on.
std::set<std::string, std::less<>> functions_reached(const SourceText& source,
                                                     std::set<std::string, std::less<>> functions);

/// All variants of a source that a variable of the program may choose at run time.
/// @param functions the functions to vary, besides those that they lead to; empty: all
std::vector<Variant> variants_of(const SourceText& source, std::string_view text,
                                 std::set<std::string, std::less<>> functions = {});

/// The variants of what is fixed at compile time, such as extents of arrays, arguments of templates
/// and constants. Each has only edits, and is compiled as a program of its own.
std::vector<Variant> fixed_variants_of(const SourceText& source, std::string_view text,
                                       std::set<std::string, std::less<>> functions = {});

/// Such variants of constants in classes and at namespace scope.
std::vector<Variant> variants_of_outer_constants(const SourceText& source);

/// The offset at which to insert text before a statement that begins at `begin`: in front of the
/// pragmas on the lines above it, which belong to the statement.
std::size_t before_pragmas(std::string_view text, std::size_t begin);

/// The source with one of its variants written into it.
std::string with_edits(const SourceText& source, std::string_view text, const Variant& variant);

/// The source with all variants woven into it, numbered from 1. It needs tilewise/variants.hpp to
/// compile. The source keeps its line numbers. Its blocks of statements report that they are
/// entered (blocks.hpp).
std::string varied(const SourceText& source, std::string_view text,
                   const std::vector<Variant>& variants);

}  // namespace tilewise::grading
