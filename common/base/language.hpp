/// \file
/// Messages for people, in the language that they want. Results, logs and the messages between
/// processes stay English, as does everything until a catalogue is opened (docs/decisions/0058).
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

namespace tilewise {
namespace core {

/// The language of the messages: "es"; "en" if no catalogue is open.
const std::string& language();

/// Translates a text that is no format string and that xgettext finds elsewhere.
std::string in_language(std::string_view english);

/// Translates a text that a library or a signal handler made in English, if it has one of these
/// forms: "{} is required". The first form that fits counts.
std::string retold(std::string_view english, std::span<const char* const> forms);

/// Whether a line of a text is a given heading, "## Goal", in English or in the user's language.
bool is_heading(std::string_view line, std::string_view english);

/// tr() without the compile-time check of its format string.
std::string translated(std::string_view english, fmt::format_args arguments);

}  // namespace core

/// Marks a text for xgettext that core::in_language() is asked for elsewhere.
constexpr const char* marked(const char* english) { return english; }

/// Formats a message for a person as fmt::format() does, in the user's language. The message stays
/// English if it has no translation, or one with other placeholders. xgettext finds messages by
/// this function's name.
template <class... Arguments>
std::string tr(fmt::format_string<Arguments...> english, Arguments&&... arguments) {
  const fmt::string_view text = english;
  return core::translated({text.data(), text.size()}, fmt::make_format_args(arguments...));
}

}  // namespace tilewise
