/// \file
/// Which language is spoken, and where its messages and texts are.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilewise::core {

/// English messages, and what they are in another language.
using Catalogue = std::unordered_map<std::string, std::string>;

/// Adds what a catalogue of GNU gettext, the text of a .po file, has translated for certain: what
/// is marked fuzzy and what is empty is left out, what was there before stays.
void add_to(Catalogue& catalogue, std::string_view po);

/// Takes a variable's name, gives its value, null where there is none: as std::getenv().
using Variables = const char* (*)(const char* name);

/// Languages in the order in which the user wants them, by the variables that gettext looks at:
/// "es_ES", "es". Nothing for the C locale.
std::vector<std::string> wanted_languages(Variables variable);

/// Handed to processes that are started, so that they speak as this one does.
inline constexpr const char* language_variable = "TILEWISE_LANGUAGE";

/// Opens the catalogues of the course in the first language that the user wants and that has any:
/// po/LANGUAGE.po, and a stage's own, grading/stages/ID/LANGUAGE.po. Where there is no course that
/// is left to whoever needs one.
void speak_as_the_user_wants();

/// Names the file of the tools' own messages to a process that sees no course.
inline constexpr const char* catalogue_variable = "TILEWISE_CATALOGUE";

/// Opens the catalogue that whoever started this process names.
void speak_as_told();

/// Opens a catalogue alone.
void speak(const std::string& language, const std::filesystem::path& catalogue);

/// From here on English is spoken, as whoever reads what a program writes expects it.
void speak_english();

/// The catalogue of the tools' own messages; an empty path where English is spoken.
const std::filesystem::path& catalogue_file();

/// A text of the course in the language spoken, README.es.md beside README.md, where there is one.
std::filesystem::path text_in_language(const std::filesystem::path& english);

}  // namespace tilewise::core
