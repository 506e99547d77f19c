/// \file
/// Messages for people, in the language that they want. Results, logs and what processes tell each
/// other stay English, as does everything until a catalogue is opened (docs/decisions/0058).
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

namespace tilewise {
namespace core {

/// "es"; "en" where nothing else is spoken.
const std::string& language();

/// A text that is no format string, and that xgettext finds elsewhere, in the language spoken.
std::string in_language(std::string_view english);

/// A text that was made in English elsewhere, by a library or by a handler of signals, in the
/// language spoken where it is of one of these forms: "{} is required". The first that fits counts.
std::string retold(std::string_view english, std::span<const char* const> forms);

/// Whether a line of a text is "## Goal", in English or in the language spoken.
bool is_heading(std::string_view line, std::string_view english);

/// tr() without its check.
std::string translated(std::string_view english, fmt::format_args arguments);

}  // namespace core

/// Has xgettext find a text that core::in_language() is asked for.
constexpr const char* marked(const char* english) { return english; }

/// A message for a person, formatted as by fmt::format(), in the language spoken. Where that has no
/// translation, or one with other placeholders, in English. xgettext finds messages by its name.
template <class... Arguments>
std::string tr(fmt::format_string<Arguments...> english, Arguments&&... arguments) {
  const fmt::string_view text = english;
  return core::translated({text.data(), text.size()}, fmt::make_format_args(arguments...));
}

}  // namespace tilewise
