// Variants that cannot be chosen at run time, so that each is a program of its own: extents of
// arrays, arguments of templates, constants, references.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "common/base/language.hpp"
#include "common/simt/rewrite/variables.hpp"
#include "grading/repair/constants.hpp"

namespace tilewise::grading {

namespace {

constexpr long floats_of_16_bytes = 4;

/// Adds a variant that is compiled as a program of its own.
void add_fixed(Place& place, std::vector<Rewording> edits, int cost) {
  const int line = place.code()[edits.front().words.first].line;
  place.add({.changes = {}, .line = line, .edits = std::move(edits), .cost = cost});
}

/// Exchanges neighbours among the extents of an array, or the arguments of a template.
void exchange_neighbours(Place& place, const std::vector<Part>& parts, int cost = 1) {
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const std::string a = place.text_of(parts[i]), b = place.text_of(parts[i + 1]);
    if (!a.empty() && !b.empty() && a != b) {
      add_fixed(place, {{parts[i], b}, {parts[i + 1], a}}, cost);
    }
  }
}

/// Replaces constants, sizes and numbers among some tokens.
void vary_fixed_words(Place& place, const Constants& constants, Part words) {
  const std::vector<Token>& code = place.code();
  for (std::size_t i = words.first; i < words.end; ++i) {
    const Part constant = constants.at(i), size = size_at(place, i);
    if (constant.first < constant.end) {
      for (const std::string& other : constants.others(constant)) {
        add_fixed(place, {{constant, other}}, 1);
      }
      i = constant.end - 1;
    } else if (size.first < size.end) {
      for (const std::string& other : other_sizes(place, size)) {
        add_fixed(place, {{size, other}}, 1);
      }
    } else if (const auto number = whole_number(code[i])) {
      for (const long other : std::set{*number + 1, *number - 1, *number * 2, *number / 2}) {
        if (other < 1 || other == *number) continue;
        add_fixed(place, {{{i, i + 1}, std::to_string(other)}}, 3);
      }
      // Rows that are loaded as float4 begin at multiples of 16 bytes.
      if (*number == 1 && code[i - 1].is("+")) {
        add_fixed(place, {{{i, i + 1}, std::to_string(floats_of_16_bytes)}}, 0);
      }
    }
  }
}

/// Writes `(size + Threads - 1) / Threads` if a constant's whole value is `size / Threads`.
void round_up(Place& place, Part value) {
  const std::vector<Token>& code = place.code();
  std::size_t sign = value.first;
  while (sign < value.end && !code[sign].is("/")) sign = place.outline().behind(sign);
  if (sign == value.first || sign >= value.end) return;
  const std::string by = place.words_of({sign + 1, value.end});
  if (by.find(' ') != by.npos) return;
  add_fixed(place,
            {{value, "(" + place.words_of({value.first, sign}) + " + " + by + " - 1) / " + by}}, 0);
}

/// Whether tokens form a value, from numbers, constants and the signs between them.
bool are_values(const Place& place, const Constants& constants, Part words) {
  for (std::size_t i = words.first; i < words.end; ++i) {
    if (!place.code()[i].is_name()) continue;
    const Part constant = constants.at(i);
    if (constant.first == constant.end) return false;
    i = constant.end - 1;
  }
  return words.first < words.end;
}

/// Exchanges float and double in the type of a tile or of a number, where the matrices have the
/// other one.
void vary_precision(Place& place) {
  const std::vector<Token>& code = place.code();
  std::set<std::string> wanted;
  for (const Variable& variable : place.scope().variables()) {
    const std::string base = variable.base.substr(0, variable.base.find(' '));
    if (variable.is_parameter && variable.type == Variable::Type::pointer) wanted.insert(base);
  }
  for (const Variable& variable : place.scope().variables()) {
    const bool holds_reals =
        variable.type == Variable::Type::real || variable.type == Variable::Type::array;
    if (variable.is_parameter || !holds_reals) continue;
    for (std::size_t i = variable.type_begin; i < variable.declared; ++i) {
      if (!code[i].is("float") && !code[i].is("double")) continue;
      const std::string other = code[i].is("float") ? "double" : "float";
      if (wanted.contains(other) && !wanted.contains(std::string(code[i].text))) {
        add_fixed(place, {{{i, i + 1}, other}}, 1);
      }
    }
  }
}

/// Makes references of all parameters that a function stores in.
void vary_copies(Place& place) {
  if (place.function().is_kernel) return;
  Variant variant{.changes = {}, .line = 0, .edits = {}};
  std::string parameters;
  for (const Variable& variable : place.scope().variables()) {
    const bool is_number =
        variable.type == Variable::Type::real || variable.type == Variable::Type::integer;
    const bool is_reference = place.code()[variable.declared - 1].is("&");
    if (!variable.is_parameter || variable.is_constant || is_reference || !is_number) continue;
    bool is_changed = false;
    for (std::size_t i = variable.seen.first; i < variable.seen.end; ++i) {
      is_changed = is_changed || (place.scope().find(i) == &variable &&
                                  simt::rewriting::is_changed_at(place.outline(), i));
    }
    if (!is_changed) continue;
    variant.line = place.code()[variable.declared].line;
    const std::string name(variable.name);
    variant.edits.push_back({{variable.declared, variable.declared + 1}, "& " + name});
    parameters += (parameters.empty() ? "" : ", ") +
                  place.words_of({variable.type_begin, variable.declared}) + "& " + name;
  }
  if (variant.edits.empty()) return;
  variant.words =
      tr("on line {} take what is stored in as references: '{}'", variant.line, parameters);
  place.add(std::move(variant));
}

/// Writes `sizeof(*sum)` for `sizeof(sum)`, which is the size of a pointer.
void vary_sizes_of_pointers(Place& place) {
  const std::vector<Token>& code = place.code();
  for (std::size_t i = place.function().body + 1; i < place.function().end; ++i) {
    if (!code[i].is("sizeof")) continue;
    const std::size_t name = code[i + 1].is("(") ? i + 2 : i + 1;
    const Variable* const variable = place.scope().find(name);
    const bool ends = name == i + 1 || code[name + 1].is(")");
    if (variable == nullptr || variable->type != Variable::Type::pointer || !ends) continue;
    add_fixed(place, {{{name, name + 1}, "*" + std::string(variable->name)}}, 0);
  }
}

/// Writes `int` for unsigned types, in which a difference below 0 becomes large. The members of
/// threadIdx are unsigned.
void vary_signs(Place& place) {
  static constexpr auto unsigned_types =
      std::to_array<std::string_view>({"auto", "unsigned", "std::size_t", "size_t"});
  for (const Variable& variable : place.scope().variables()) {
    if (variable.is_parameter || variable.declared < place.function().body) continue;
    std::size_t first = variable.type_begin;
    while (place.code()[first].is("const") || place.code()[first].is("static")) ++first;
    const Part type{first, variable.declared};
    if (type.first >= type.end) continue;
    const std::string given = place.words_of(type);
    const bool is_one = std::ranges::find(unsigned_types, given) != unsigned_types.end();
    const auto& code = place.code();
    const bool is_of_builtin =
        std::any_of(code.begin() + std::ptrdiff_t(variable.value.first),
                    code.begin() + std::ptrdiff_t(variable.value.end), is_builtin);
    if (is_one && (given != "auto" || is_of_builtin)) add_fixed(place, {{type, "int"}}, 1);
  }
}

/// Whether tokens end in a number or a name that is added, such as `+ 4`, as the length of a padded
/// row does.
bool is_padded(const std::vector<Token>& code, Part words) {
  return words.end > words.first + 2 && code[words.end - 2].is("+") &&
         (whole_number(code[words.end - 1]) || code[words.end - 1].is_name());
}

/// Makes a row one element longer than `words` say or, if they pad it, pads it by one element
/// instead. Returns nothing if they already pad it by one.
std::optional<Rewording> one_longer(const std::vector<Token>& code, Part words) {
  const Part last{words.end - 1, words.end};
  if (!is_padded(code, words)) return Rewording{{words.end, words.end}, " + 1"};
  if (whole_number(code[last.first]) == 1) return std::nullopt;
  return Rewording{last, "1"};
}

/// Changes the length of tiles' rows, so that the elements of a column lie in different banks.
void vary_pitches(Place& place) {
  const std::vector<Token>& code = place.code();
  for (const Variable& variable : place.scope().variables()) {
    if (variable.type != Variable::Type::array) continue;
    const std::vector<Part> extents = subscripts_of(place, variable.declared);
    if (extents.size() < 2 || extents.back().first >= extents.back().end) continue;
    const Part rows = extents[extents.size() - 2], row = extents.back();
    std::vector<Rewording> edits;
    const auto longer = one_longer(code, row);
    const bool is_of_rows = is_padded(code, rows) && !is_padded(code, row);
    if (is_of_rows) {
      edits = {{rows, place.text_of(row)}, {row, place.text_of(rows)}};
    } else if (longer) {
      edits = {*longer};
    } else {
      continue;
    }
    const int cost = is_of_rows || is_padded(code, row) ? 0 : 1;
    place.add({.changes = {},
               .line = code[row.first].line,
               .edits = std::move(edits),
               .is_of_pitch = true,
               .cost = cost});
  }
}

/// Removes `__shared__` or `static`: a variable that all threads of a block, or all calls of a host
/// function, share may be meant for one of them.
void vary_storage(Place& place) {
  const std::vector<Token>& code = place.code();
  for (const Variable& variable : place.scope().variables()) {
    const bool is_number =
        variable.type == Variable::Type::real || variable.type == Variable::Type::integer;
    if (variable.is_parameter || variable.is_evaluated || !is_number) continue;
    for (std::size_t i = variable.type_begin; i < variable.declared; ++i) {
      if (!code[i].is("__shared__") && !code[i].is("static")) continue;
      add_fixed(place, {{{i, i + 2}, place.text_of({i + 1, i + 2})}}, 0);
    }
  }
}

/// Exchanges the first extents of two neighbouring arrays, and gives each array the other's.
void vary_extents_of_neighbours(Place& place) {
  const std::vector<Token>& code = place.code();
  const Variable* previous = nullptr;
  for (const Variable& variable : place.scope().variables()) {
    const bool is_array = variable.type == Variable::Type::array && !variable.is_parameter;
    if (is_array && previous != nullptr && code[variable.declared + 1].is("[")) {
      const auto extent_of = [&](const Variable& array) {
        return Part{array.declared + 2, place.outline().behind(array.declared + 1) - 1};
      };
      const Part a = extent_of(*previous), b = extent_of(variable);
      exchange_neighbours(place, {a, b}, 0);
      for (const auto& [to, from] : {std::pair(a, b), {b, a}}) {
        const std::string given = place.text_of(from);
        if (!given.empty() && given != place.text_of(to)) add_fixed(place, {{to, given}}, 0);
      }
    }
    previous = is_array && code[variable.declared + 1].is("[") ? &variable : nullptr;
  }
}

/// Changes a fragment's layout in memory: `row_major` for `col_major`, or the reverse.
void vary_layouts(Place& place, Part words) {
  for (std::size_t i = words.first; i < words.end; ++i) {
    for (const auto& [name, other] :
         {std::pair("row_major", "col_major"), {"col_major", "row_major"}}) {
      if (place.code()[i].is(name)) add_fixed(place, {{{i, i + 1}, other}}, 0);
    }
  }
}

}  // namespace

void vary_fixed(Place& place) {
  vary_copies(place);
  vary_sizes_of_pointers(place);
  vary_precision(place);
  vary_signs(place);
  vary_storage(place);
  vary_pitches(place);
  transpose_tiles(place);
  vary_extents_of_neighbours(place);
  const std::vector<Token>& code = place.code();
  const Outline& outline = place.outline();
  const Constants constants(place);
  for (const Variable& variable : place.scope().variables()) {
    if (variable.declared < place.function().body) continue;
    const std::vector<Part> extents = subscripts_of(place, variable.declared);
    exchange_neighbours(place, extents);
    // A thread's own arrays are as long as its work, which changing one number does not mend.
    const auto is_shared = [](const Token& token) { return token.is("__shared__"); };
    if (std::any_of(code.begin() + std::ptrdiff_t(variable.type_begin),
                    code.begin() + std::ptrdiff_t(variable.declared), is_shared)) {
      for (const Part extent : extents) vary_fixed_words(place, constants, extent);
    }
    if (variable.is_constant && !place.may_vary(variable.declared)) {
      if (variable.is_evaluated) vary_fixed_words(place, constants, variable.value);
      if (variable.is_evaluated) round_up(place, variable.value);
    }
  }
  for (std::size_t i = place.function().body + 1; i < place.function().end; ++i) {
    if (!code[i].is("<") || !code[i - 1].is_name() || place.may_vary(i)) continue;
    const auto close = outline.template_close(i);
    if (!close) continue;
    vary_layouts(place, {i, *close});
    std::vector<Part> values;
    for (const Part part : outline.parts_between(i, *close)) {
      if (!are_values(place, constants, part)) continue;
      values.push_back(part);
      vary_fixed_words(place, constants, part);
    }
    exchange_neighbours(place, values);
  }
}

namespace {

/// Gives arrays of device memory, `__device__ float sums[threads]`, another constant as their
/// length.
void vary_outer_arrays(const SourceText& source, const std::vector<OuterConstant>& constants,
                       std::vector<Variant>& found) {
  const std::vector<Token>& code = source.outline.code();
  for (std::size_t i = 0; i + 3 < code.size(); ++i) {
    if (!code[i].is("__device__")) continue;
    std::size_t open = i + 1;
    while (open < code.size() && (code[open].is_name() || code[open].is("::"))) ++open;
    const bool is_array = open + 2 < code.size() && code[open].is("[") && code[open + 2].is("]");
    if (!is_array) continue;
    const Part extent{open + 1, open + 2};
    const auto written = [&](std::string_view text) {
      return std::string(code[open - 1].text) + "[" + std::string(text) + "]";
    };
    for (const OuterConstant& other : constants) {
      const bool is_seen = other.begin_of_class == 0 && other.value.first < i;
      if (!is_seen || other.name == code[extent.first].text) continue;
      found.push_back({.changes = {},
                       .line = code[open].line,
                       .edits = {{extent, std::string(other.name)}},
                       .words = tr("on line {} write '{}' in place of '{}'", code[open].line,
                                   written(other.name), written(code[extent.first].text)),
                       .cost = 1});
    }
  }
}

}  // namespace

std::vector<Variant> variants_of_outer_constants(const SourceText& source) {
  const std::vector<Token>& code = source.outline.code();
  const auto words_of = [&](Part words) {
    return simt::rewriting::joined(std::span(code).subspan(words.first, words.end - words.first));
  };
  std::vector<Variant> found;
  const std::vector<OuterConstant> constants = outer_constants(source.outline);
  vary_outer_arrays(source, constants, found);
  for (const OuterConstant& constant : constants) {
    const auto add = [&](Part words, const std::string& text, int cost, bool is_of_pitch = false) {
      const auto& [first, end] = constant.definition;
      const int line = code[constant.value.first].line;
      const std::string given = words_of(constant.definition);
      std::string other = words_of({first, words.first});
      other += (code[words.first - 1].is("(") ? "" : " ") + text;
      if (words.end < end)
        other += (code[words.end].is(")") ? "" : " ") + words_of({words.end, end});
      found.push_back({.changes = {},
                       .line = line,
                       .edits = {{words, text}},
                       .words = tr("on line {} write '{}' in place of '{}'", line, other, given),
                       .is_of_pitch = is_of_pitch,
                       .cost = cost});
    };
    if (const auto longer = one_longer(code, constant.value)) {
      add(longer->words, longer->text, is_padded(code, constant.value) ? 0 : 1, true);
    }
    for (std::size_t i = constant.value.first; i < constant.value.end; ++i) {
      if (const auto number = whole_number(code[i])) {
        std::set<long> others = {*number + 1, *number - 1, *number * 2, *number / 2};
        if (*number == 1) others.insert(floats_of_16_bytes);
        for (const long other : others) {
          if (other >= 1 && other != *number) add({i, i + 1}, std::to_string(other), 3);
        }
      }
      if (!code[i].is_name() || code[i - 1].is("::") || code[i + 1].is("::")) continue;
      for (const OuterConstant& other : constants) {
        const bool is_seen = other.begin_of_class == constant.begin_of_class &&
                             other.value.first < constant.value.first;
        if (is_seen && other.name != code[i].text) add({i, i + 1}, std::string(other.name), 2);
      }
    }
  }
  return found;
}

}  // namespace tilewise::grading
