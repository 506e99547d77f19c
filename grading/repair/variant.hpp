#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/functions.hpp"
#include "grading/repair/scope.hpp"
#include "grading/repair/statements.hpp"

/// What could be written in a source in place of what stands there, one small change at a time.
namespace tilewise::grading {

using simt::rewriting::SourceText;
using simt::rewriting::WrittenFunction;

/// A change of one place that a variable of the program may choose when it runs.
struct Change {
  enum class Form {
    sides,       ///< `text` in place of those of a grid or of a block; around a value's own changes
    expression,  ///< `text` in place of a value
    condition,   ///< `text` in place of what is true or false
    statement,   ///< `text` in place of statements
    operand,     ///< `text` in front of an operand, neutral where another variant runs
    insertion,   ///< `text` in front of a statement
  };
  Form form;
  Part words;  ///< what is replaced; of operand and insertion the place alone
  /// In that of an operand @ stands for 1 in this variant, and else for 0, in that of an expression
  /// for its type.
  std::string text;
};

/// Words of the source in place of others.
struct Rewording {
  Part words;  ///< empty: `text` comes in front of the token
  std::string text;
};

/// One thing to try.
struct Variant {
  std::vector<Change> changes;   ///< none of what is fixed when a program is compiled
  int line = 0;                  ///< of the first change
  std::vector<Rewording> edits;  ///< that make it the source's own
  /// What to do, in a sentence's part: "on line 12 write ... in place of ...", which is what edits
  /// come to where nothing else is given.
  std::string words = {};
  bool is_of_barrier = false;
  /// It makes rows of a tile longer or shorter, which changes in which banks its columns lie.
  bool is_of_pitch = false;
  int loops = 0;  ///< around a barrier that is put in: the fewer, the seldomer threads wait
  /// How far it is from what stands there: of those that are right the least is told.
  int cost = 1;
  /// What it changes, by its place among the kinds that are looked for.
  std::size_t kind = 0;
  double distance = 0;  ///< from what is likely, once it is sorted by that
  /// The condition between two paths that it changes, by its first token; 0: none.
  std::size_t condition = 0;
  /// A fast path is taken where something more holds, too: that a step is whole, or a row a number
  /// of whole vectors. Elsewhere it is not taken any more, as it should not be.
  bool asks_for_more = false;
  /// It has one path taken always, which tells where a fault is, and mends nothing.
  bool takes_one_path = false;
  /// How little words tell whether it compiles: of a line that does not, what dares most is taken
  /// out first.
  int daring = 0;
};

/// A function that is being looked at, and what was found to try in it.
class Place {
 public:
  Place(const SourceText& source, std::string_view text, const WrittenFunction& function);

  const Outline& outline() const { return source_.outline; }
  const std::vector<Token>& code() const { return source_.outline.code(); }
  const WrittenFunction& function() const { return function_; }
  const Statement& body() const { return body_; }
  const Scope& scope() const { return scope_; }

  /// Whether what stands there may be chosen when the program runs: no declaration of shared
  /// memory, no constant, no argument of a template.
  bool may_vary(std::size_t token) const { return !is_fixed_[token - function_.body]; }

  /// Whether what begins there is to be a variable, since its address is taken or it counts.
  bool is_place_wanted(std::size_t first) const;

  /// The source, whole.
  std::string_view text() const { return text_; }

  /// As the source has it.
  std::string text_of(Part words) const;

  /// On one line.
  std::string words_of(Part words) const;

  /// "on line 12 write `B[k * n + col]` in place of `B[k * n + row]`", by lines of the source.
  std::string rewritten(const std::vector<Rewording>& rewordings) const;

  /// Has all that is added from now on be of a kind.
  void begin_kind(std::size_t kind) { kind_ = kind; }

  void add(Variant variant);

  /// Adds a change of one expression.
  /// @param daring as a Variant has it
  void add_expression(Part words, const std::string& text, int cost = 1, int daring = 0);
  void add_condition(Part words, const std::string& text, int cost, bool asks_for_more = false);

  /// Adds what has one of two paths taken always, that of a condition that holds or the other one.
  void add_paths(Part condition);

  /// All that was added, with the conditions that it changes.
  std::vector<Variant> found() const;

 private:
  void fix(Part words);

  const SourceText& source_;
  std::string_view text_;
  const WrittenFunction& function_;
  Statement body_;
  Scope scope_;
  std::vector<char> is_fixed_;
  std::vector<Part> conditions_;  ///< between two paths
  std::size_t kind_ = 0;
  std::vector<Variant> found_;
};

/// `threadIdx`, `blockIdx`, `blockDim` or `gridDim`.
bool is_builtin(const Token& token);

/// Whether a name stands for the value of its variable here.
bool is_read(const Place& place, std::size_t i);

/// The number that a token is; nothing where it is none, no whole one, or has a suffix.
std::optional<long> whole_number(const Token& token);

/// Whether what ends at a token may be an operand.
bool ends_operand(const Token& token);

/// Whether a number is the 1 of `(n + side - 1) / side`. Another one, or another sign, gives a step
/// too many that nothing shows, and is no mend.
bool rounds_up(const std::vector<Token>& code, std::size_t number);

/// What could stand in the place of a constant, the only one of these words: others of its class or
/// of the function. None where they are something else.
std::vector<std::string> constants_like(const Place& place, Part words);

/// Constants without a qualifier that could stand at a token of a function, the parameters of its
/// template among them; some.
std::vector<std::string> constants_seen_at(const Place& place, std::size_t token);

/// Where something is put: "before line 12, 'sum = 0;'".
std::string words_before(const Place& place, std::size_t token);

// What there is to try, by what it changes.
void vary_builtins(Place& place);
void vary_alike_names(Place& place);
void vary_other_names(Place& place);
void vary_pairs(Place& place);
void vary_alike(Place& place);
void vary_constants(Place& place);
void vary_factors(Place& place);
void vary_numbers(Place& place);
void vary_operators(Place& place);
void vary_subscripts(Place& place);
void vary_arguments(Place& place);
void vary_functions(Place& place);
void vary_conditions(Place& place);
void vary_fast_paths(Place& place);
void vary_guards(Place& place);
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

/// Everything to try in a source that a variable of the program may choose.
/// @param functions in these, and in those that they lead to; empty: in all
std::vector<Variant> variants_of(const SourceText& source, std::string_view text,
                                 std::set<std::string, std::less<>> functions = {});

/// What to try in extents of arrays, arguments of templates and constants: each is edits alone, and
/// a program of its own.
std::vector<Variant> fixed_variants_of(const SourceText& source, std::string_view text,
                                       std::set<std::string, std::less<>> functions = {});

/// The same of constants of classes, and of those outside of all.
std::vector<Variant> variants_of_outer_constants(const SourceText& source);

/// Where something is put that comes before what begins at an offset of a source: in front of the
/// pragmas on the lines above it, which belong to it.
std::size_t before_pragmas(std::string_view text, std::size_t begin);

/// The source as it is with one of its variants.
std::string with_edits(const SourceText& source, std::string_view text, const Variant& variant);

/// The source with all variants in it, numbered from 1, for a compiler that includes
/// tilewise/variants.hpp. Lines stay where they are.
std::string varied(const SourceText& source, std::string_view text,
                   const std::vector<Variant>& variants);

}  // namespace tilewise::grading
