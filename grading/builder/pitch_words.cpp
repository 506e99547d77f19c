#include <algorithm>
#include <optional>
#include <string>

#include "common/base/language.hpp"
#include "grading/builder/kinds_of_accounts.hpp"
#include "grading/builder/source_file.hpp"

namespace tilewise::grading {

using simt::SourceAccess;

SourceAccount pitch_of_tile(const Finding& finding, const Accesses& accesses) {
  const auto is_it = [&](const SourceAccess& access) {
    return has_pitch_of_matrix(access) && access.array == finding.array;
  };
  const auto access = std::ranges::find_if(accesses, is_it);
  if (finding.array.empty() || access == accesses.end()) return {};
  return {
      .message = tr(" The index of {} on line {} counts {} elements for a row, as in the matrix; "
                    "a row of the tile is as long as {} on line {} says.",
                    access->array, access->line, access->pitch, access->declaration,
                    access->declaration_line),
      .hint = tr("Multiply by the width of the tile on line {}, and not by {}.", access->line,
                 access->pitch)};
}

namespace {

/// Whether two lengths surely differ, however they are written: both are numbers, or one is the
/// other plus something.
bool differ(const std::string& a, const std::string& b) {
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  };
  return (is_number(a) && is_number(b) && a != b) || a.starts_with(b + " + ") ||
         b.starts_with(a + " + ");
}

/// Explains an access to a matrix by a pointer that begins at `C + row * n + col`.
std::optional<SourceAccount> distance_in_matrix(const Finding& finding,
                                                const SourceAccess& access) {
  const std::size_t end = access.origin.rfind(" + ");
  const std::size_t begin = end == std::string::npos ? end : access.origin.rfind("* ", end);
  const bool is_at_fault = access.line == finding.line || access.line == finding.other_line;
  if (access.distance.empty() || begin == std::string::npos || !is_at_fault) return std::nullopt;
  const std::string pitch = access.origin.substr(begin + 2, end - begin - 2);
  if (pitch == access.distance || !std::ranges::all_of(pitch, is_word)) return std::nullopt;
  return SourceAccount{
      .message =
          tr(" Line {} gives {} as the distance of the rows behind {}, which begins at {} on "
             "line {}: there rows lie {} apart.",
             access.line, access.distance, access.array, access.origin, access.origin_line, pitch),
      .hint = tr("Give {} as the distance on line {}.", pitch, access.line)};
}

/// Explains an access to a tile with declared sides.
std::optional<SourceAccount> distance_in_tile(const Finding& finding, const SourceAccess& access) {
  const std::size_t open = access.declaration.rfind('[');
  if (access.distance.empty() || open == std::string::npos || access.brackets.size() < 2) {
    return std::nullopt;
  }
  const std::string width =
      access.declaration.substr(open + 1, access.declaration.size() - open - 2);
  // On a line with a fault in this array, another name counts as another length.
  const bool is_at_fault = access.line == finding.line && access.array == finding.array;
  if (!differ(width, access.distance) && !(is_at_fault && width != access.distance)) {
    return std::nullopt;
  }
  return SourceAccount{
      .message =
          tr(" Line {} gives {} as the distance of the rows of {}, and {} on line {} has rows "
             "of {}.",
             access.line, access.distance, access.array, access.declaration,
             access.declaration_line, width),
      .hint = tr("Give {} as the distance on line {}: the padding of a row counts.", width,
                 access.line),
      .line = access.line};
}

}  // namespace

SourceAccount distance_of_rows(const Finding& finding, const Accesses& accesses,
                               std::string_view source) {
  const auto behind = simt::functions_behind(source, function_of(finding));
  for (const SourceAccess& access : accesses) {
    if (const auto found = distance_in_matrix(finding, access)) return *found;
    if (std::ranges::find(behind, access.function) == behind.end()) continue;
    if (const auto found = distance_in_tile(finding, access)) return *found;
  }
  return {};
}

}  // namespace tilewise::grading
