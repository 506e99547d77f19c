/// \file
/// The language of the messages, and where to find messages and texts in it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilewise::core {

/// Maps English messages to their translations.
using Catalogue = std::unordered_map<std::string, std::string>;

/// Adds the translations in a catalogue of GNU gettext, given as the text of a .po file. Entries
/// that are marked fuzzy or have no translation are left out, and translations that were there
/// before stay.
void add_to(Catalogue& catalogue, std::string_view po);

/// Returns the value of an environment variable, null if it is not set, as std::getenv() does.
using Variables = const char* (*)(const char* name);

/// The languages in the order in which the user wants them, according to the variables that gettext
/// reads: "es_ES", "es". Empty for the C locale.
std::vector<std::string> wanted_languages(Variables variable);

/// The variable that passes the language on to processes that this one starts.
inline constexpr const char* language_variable = "TILEWISE_LANGUAGE";

/// Opens the catalogues of the course in the first language that the user wants and that has any:
/// po/LANGUAGE.po, and each stage's own, grading/stages/ID/LANGUAGE.po. Does nothing where there is
/// no course; whoever needs one reports that.
void speak_as_the_user_wants();

/// The variable that names the tools' own catalogue to a process that does not see the course.
inline constexpr const char* catalogue_variable = "TILEWISE_CATALOGUE";

/// Opens the catalogue that the process which started this one has named.
void speak_as_told();

/// Opens this one catalogue.
void speak(const std::string& language, const std::filesystem::path& catalogue);

/// From now on all messages are English, as programs that read the output expect.
void speak_english();

/// The catalogue of the tools' own messages; an empty path if the language is English.
const std::filesystem::path& catalogue_file();

/// A text of the course in the user's language, such as README.es.md beside README.md; the English
/// one if there is no other.
std::filesystem::path text_in_language(const std::filesystem::path& english);

}  // namespace tilewise::core
