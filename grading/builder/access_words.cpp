#include "grading/builder/access_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "common/base/language.hpp"
#include "grading/builder/source_file.hpp"

namespace tilewise::grading {

using simt::IndexPart;
using simt::SourceAccess;
using simt::SourceCondition;

std::string in_list(const std::vector<SourceCondition>& conditions) {
  std::string text;
  const std::size_t first = conditions.size() - std::min(conditions.size(), most_told + 1);
  for (std::size_t i = first; i < conditions.size(); ++i) {
    const SourceCondition& condition = conditions[i];
    if (!text.empty()) text += ", ";
    text += condition.must_not_hold ? tr("not ({}) on line {}", condition.text, condition.line)
                                    : tr("{} on line {}", condition.text, condition.line);
  }
  return text;
}

std::string in_list(const std::vector<simt::QuotedLine>& definitions) {
  std::string text;
  for (const simt::QuotedLine& each : definitions) {
    text += (text.empty() ? "" : ", ") + tr("{} on line {}", each.text, each.line);
  }
  return text.empty() ? "" : tr(" In that, {}.", text);
}

bool is_of_pointers(const SourceAccess& access) {
  return !access.declaration.empty() && !access.origin.empty();
}

std::string description(const SourceAccess& access) {
  std::string what = access.text;
  if (!access.origin.empty()) {
    const std::string pointer = is_of_pointers(access)
                                    ? fmt::format("{}[{}]", access.array, access.brackets.front())
                                    : access.array;
    what = tr("{}, where {} begins at {} on line {}", access.text, pointer, access.origin,
              access.origin_line);
  } else if (!access.declaration.empty()) {
    what = tr("{}, of {} on line {}", access.text, access.declaration, access.declaration_line);
  }
  if (access.handed_on) return tr(" Line {} hands on {}.", access.line, what);
  return access.stores ? tr(" Line {} stores to {}.", access.line, what)
                       : tr(" Line {} reads {}.", access.line, what);
}

/// The description of the access comes before this.
std::string way_to_it(const SourceAccess& access) {
  if (!access.conditions.empty()) {
    return tr(" What lets a thread through to it: {}.", in_list(access.conditions));
  }
  const std::string& around = access.lambda.empty() ? access.function : access.lambda;
  return access.in_kernel && access.lambda.empty()
             ? tr(" No condition stands before it: all threads make it.")
             : tr(" No condition stands before it in {}().", around);
}

bool is_test(const SourceCondition& condition) { return !condition.is_of_loop; }

std::vector<IndexPart> untested(const std::vector<IndexPart>& parts) {
  std::vector<IndexPart> found, untouched;
  for (const IndexPart& part : parts) {
    if (part.tested != IndexPart::Tested::no) continue;
    found.push_back(part);
    if (!part.is_touched) untouched.push_back(part);
  }
  return untouched.empty() ? found : untouched;
}

std::string doubts(const SourceAccess& access, const std::vector<IndexPart>& parts) {
  std::string text;
  if (access.conditions.empty()) return text;
  const std::vector<IndexPart> none = untested(parts);
  if (none.size() == 1) text += tr(" None of this tests {}.", none[0].text);
  if (none.size() > 1) text += tr(" None of this tests {} or {}.", none[0].text, none[1].text);
  for (const IndexPart& part : parts) {
    if (part.tested != IndexPart::Tested::alike) continue;
    text += tr(" What is tested on line {} is {}, and what is used is {}.", part.compared_line,
               part.compared, part.text);
  }
  return text;
}

std::vector<IndexPart> blamed(const SourceAccess& access, const core::Finding& finding) {
  const std::size_t brackets = access.brackets.size();
  std::size_t bracket = static_cast<std::size_t>(std::max(finding.bracket, 0));
  if (access.memory == SourceAccess::Memory::own) {
    const auto of_type = static_cast<std::size_t>(std::ranges::count(finding.array, '['));
    bracket = of_type >= 1 && of_type <= brackets ? brackets - of_type + 1 : 0;
  }
  if (bracket == 0 || brackets < 2) return access.parts;
  if (bracket > access.parts.size()) return {};
  return {access.parts[bracket - 1]};
}

Accesses without_repeats(const Accesses& accesses) {
  Accesses found;
  std::set<std::pair<int, std::string>> told;
  for (const SourceAccess& access : accesses) {
    if (told.emplace(access.line, access.text).second) found.push_back(access);
  }
  return found;
}

std::string terms_of_places(const SourceAccess& access) {
  std::vector<simt::QuotedLine> made_of;
  for (const IndexPart& part : access.parts) {
    for (const simt::QuotedLine& each : part.made_of) {
      const bool is_known =
          std::ranges::find(made_of, each.text, &simt::QuotedLine::text) != made_of.end();
      if (!is_known) made_of.push_back(each);
    }
  }
  // The last definitions are parts of the others.
  made_of.resize(std::min(made_of.size(), most_told));
  return in_list(made_of);
}

std::string function_of(const core::Finding& finding) {
  return finding.call.substr(0, finding.call.find('('));
}

bool has_pitch_of_matrix(const SourceAccess& access) {
  return access.memory == SourceAccess::Memory::shared && !access.pitch.empty() &&
         !access.declaration.ends_with("[]") &&
         access.declaration.find(access.pitch) == std::string::npos;
}

}  // namespace tilewise::grading
