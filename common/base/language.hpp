/// \file
/// The language that a person is spoken to in. Results, logs and what processes tell each other stay
/// English, as does everything where no catalogue was opened (docs/decisions/0058).
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tilewise {
namespace core {

/// English messages, and what they are in another language.
using Catalogue = std::unordered_map<std::string, std::string>;

/// Adds what a catalogue of GNU gettext, the text of a .po file, has translated for certain: what is
/// marked fuzzy and what is empty is left out, what was there before stays.
void add_to(Catalogue& catalogue, std::string_view po);

/// Takes a variable's name, gives its value, null where there is none: as std::getenv().
using Variables = const char* (*)(const char* name);

/// Languages in the order in which the user wants them, by the variables that gettext looks at:
/// "es_ES", "es". Nothing for the C locale.
std::vector<std::string> wanted_languages(Variables variable);

/// Handed to processes that are started, so that they speak as this one does.
inline constexpr const char* language_variable = "TILEWISE_LANGUAGE";

/// Opens the catalogues of the course in the first language that the user wants and that has any:
/// po/LANGUAGE.po, and a stage's own, grading/stages/ID/LANGUAGE.po.
void speak_as_the_user_wants(const std::filesystem::path& root);

/// Opens a catalogue alone, for a process that sees no course.
void speak(const std::string& language, const std::filesystem::path& catalogue);

/// From here on English is spoken, as whoever reads what a program writes expects it.
void speak_english();

/// "es"; "en" where nothing else is spoken.
const std::string& language();

/// The catalogue of the tools' own messages; an empty path where English is spoken.
std::filesystem::path catalogue_file(const std::filesystem::path& root);

/// A text of the course in the language spoken, README.es.md beside README.md, where there is one.
std::filesystem::path text_in_language(const std::filesystem::path& english);

/// Whether a line of a text is "## Goal", in English or in the language spoken.
bool is_heading(std::string_view line, std::string_view english);

/// tr() without its check.
std::string translated(std::string_view english, fmt::format_args arguments);

}  // namespace core

/// A message for a person, formatted as by fmt::format(), in the language spoken. Where that has no
/// translation, or one with other placeholders, in English. xgettext finds messages by its name.
template <class... Arguments>
std::string tr(fmt::format_string<Arguments...> english, Arguments&&... arguments) {
  const fmt::string_view text = english;
  return core::translated({text.data(), text.size()}, fmt::make_format_args(arguments...));
}

}  // namespace tilewise
