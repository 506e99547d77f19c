#include "common/base/language.hpp"

#include <fmt/args.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "common/base/catalogue.hpp"
#include "common/base/files.hpp"

namespace tilewise::core {
namespace {

namespace fs = std::filesystem;

constexpr const char* english_language = "en";

struct Spoken {
  std::string language = english_language;
  std::filesystem::path file = {};
  Catalogue catalogue = {};
};

Spoken& spoken() {
  static Spoken now;
  return now;
}

/// The text between the quotes of `msgid "n\t\"a\""`, with its escapes resolved.
std::string unquoted(std::string_view line) {
  const std::size_t open = line.find('"'), close = line.rfind('"');
  std::string text;
  if (open == close) return text;
  for (std::size_t at = open + 1; at < close; ++at) {
    if (line[at] != '\\') {
      text += line[at];
      continue;
    }
    const char escaped = line[++at];
    text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
  }
  return text;
}

bool holds_catalogues(const fs::path& root, const std::string& language) {
  std::error_code unknown;
  return fs::is_regular_file(root / "po" / (language + ".po"), unknown);
}

/// The parts of a text that stand in place of each {} of a form; nothing if the text does not have
/// that form.
std::optional<std::vector<std::string_view>> parts_of(std::string_view text,
                                                      std::string_view form) {
  constexpr std::string_view hole = "{}";
  std::size_t open = form.find(hole);
  if (open == form.npos)
    return text == form ? std::optional(std::vector<std::string_view>()) : std::nullopt;
  if (!text.starts_with(form.substr(0, open))) return std::nullopt;
  text.remove_prefix(open);
  std::vector<std::string_view> parts;
  while (true) {
    form.remove_prefix(open + hole.size());
    open = form.find(hole);
    const std::string_view literal = form.substr(0, open);
    const bool is_last = open == form.npos;
    if (is_last && !text.ends_with(literal)) return std::nullopt;
    const std::size_t at = is_last ? text.size() - literal.size() : text.find(literal);
    if (at == text.npos) return std::nullopt;
    parts.push_back(text.substr(0, at));
    if (is_last) return parts;
    text.remove_prefix(at + literal.size());
  }
}

}  // namespace

void add_to(Catalogue& catalogue, std::string_view po) {
  std::string english, other;
  std::string* part = nullptr;
  bool is_fuzzy = false;
  const auto end_entry = [&] {
    if (!english.empty() && !other.empty() && !is_fuzzy) catalogue.try_emplace(english, other);
    english.clear();
    other.clear();
    part = nullptr;
    is_fuzzy = false;
  };
  while (!po.empty()) {
    const std::size_t length = std::min(po.find('\n'), po.size());
    const std::string_view line = po.substr(0, length);
    po.remove_prefix(std::min(length + 1, po.size()));
    if (line.empty()) {
      end_entry();
    } else if (line.starts_with("#,")) {
      is_fuzzy = is_fuzzy || line.find("fuzzy") != line.npos;
    } else if (line.starts_with("msgid ")) {
      part = &english;
    } else if (line.starts_with("msgstr ")) {
      part = &other;
    } else if (!line.starts_with('"')) {
      part = nullptr;  // a comment, or an entry that is no longer in use
    }
    if (part != nullptr) *part += unquoted(line);
  }
  end_entry();
}

std::vector<std::string> wanted_languages(Variables variable) {
  const auto value = [&](const char* name) -> std::string {
    const char* const text = variable(name);
    return text == nullptr ? "" : text;
  };
  if (const std::string handed = value(language_variable); !handed.empty()) return {handed};
  std::string locale = value("LC_ALL");
  if (locale.empty()) locale = value("LC_MESSAGES");
  if (locale.empty()) locale = value("LANG");
  if (locale.empty() || locale == "C" || locale == "POSIX") return {};
  std::string list = value("LANGUAGE");
  if (list.empty()) list = locale;
  std::vector<std::string> languages;
  for (std::size_t begin = 0, end; begin <= list.size(); begin = end + 1) {
    end = std::min(list.find(':', begin), list.size());
    std::string name = list.substr(begin, end - begin);
    name.resize(std::min(name.find_first_of(".@"), name.size()));  // drops encoding and variant
    if (name.empty()) continue;
    languages.push_back(name);
    const std::size_t country = name.find('_');
    if (country != name.npos) languages.push_back(name.substr(0, country));
  }
  return languages;
}

void speak_as_the_user_wants() {
  const std::vector<std::string> languages = wanted_languages(
      [](const char* name) { return static_cast<const char*>(std::getenv(name)); });
  if (languages.empty()) return;
  fs::path root;
  try {
    root = project_root();
  } catch (const std::runtime_error&) {
    return;
  }
  const auto known = std::ranges::find_if(languages, [&](const std::string& language) {
    return language == english_language || holds_catalogues(root, language);
  });
  if (known == languages.end() || *known == english_language) return;
  speak(*known, root / "po" / (*known + ".po"));
  std::error_code unknown;
  for (fs::directory_iterator stage(root / "grading" / "stages", unknown), end;
       !unknown && stage != end; stage.increment(unknown)) {
    add_to(spoken().catalogue, text_of(stage->path() / (*known + ".po")));
  }
}

void speak_as_told() {
  const char* const file = std::getenv(catalogue_variable);
  if (file != nullptr && *file != '\0') speak(fs::path(file).stem().string(), file);
}

void speak(const std::string& language, const fs::path& catalogue) {
  spoken() = {language, catalogue};
  add_to(spoken().catalogue, text_of(catalogue));
}

void speak_english() { spoken() = {}; }

const std::string& language() { return spoken().language; }

const fs::path& catalogue_file() { return spoken().file; }

fs::path text_in_language(const fs::path& english) {
  fs::path other = english;
  other.replace_extension(language() + english.extension().string());
  std::error_code unknown;
  return fs::is_regular_file(other, unknown) ? other : english;
}

bool is_heading(std::string_view line, std::string_view english) {
  if (!line.starts_with("## ")) return false;
  line.remove_prefix(3);
  return line == english || line == in_language(english);
}

std::string in_language(std::string_view english) {
  const auto found = spoken().catalogue.find(std::string(english));
  return found == spoken().catalogue.end() ? std::string(english) : found->second;
}

std::string retold(std::string_view english, std::span<const char* const> forms) {
  for (const char* const form : forms) {
    const auto parts = parts_of(english, form);
    if (!parts) continue;
    fmt::dynamic_format_arg_store<fmt::format_context> arguments;
    for (const std::string_view part : *parts) arguments.push_back(part);
    return translated(form, arguments);
  }
  return std::string(english);
}

std::string translated(std::string_view english, fmt::format_args arguments) {
  const Catalogue& catalogue = spoken().catalogue;
  const auto found = catalogue.find(std::string(english));
  if (found != catalogue.end()) {
    try {
      return fmt::vformat(found->second, arguments);
    } catch (const fmt::format_error&) {
      // A mistake in a translation must not cost the user the message.
    }
  }
  return fmt::vformat(fmt::string_view(english.data(), english.size()), arguments);
}

}  // namespace tilewise::core
