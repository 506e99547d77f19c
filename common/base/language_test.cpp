#include "common/base/language.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "common/base/catalogue.hpp"

namespace tilewise::core {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

TEST(CatalogueTest, HoldsWhatIsTranslatedForCertain) {
  Catalogue catalogue{{"stays", "se queda"}};
  add_to(catalogue, R"(# Words of the field
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\n"

#: a.cpp
msgid "row {}"
msgstr "fila {}"

msgid ""
"two\n"
"lines \"quoted\""
msgstr ""
"dos\n"
"líneas \"citadas\""

msgid "nobody has come to it"
msgstr ""

#, fuzzy, no-wrap
#| msgid "column"
msgid "columns"
msgstr "columna"

msgid "stays"
msgstr "cambia"

#~ msgid "gone"
#~ msgstr "ido"

msgid "last"
msgstr "último")");
  EXPECT_THAT(catalogue,
              UnorderedElementsAre(Pair("stays", "se queda"), Pair("row {}", "fila {}"),
                                   Pair("two\nlines \"quoted\"", "dos\nlíneas \"citadas\""),
                                   Pair("last", "último")));
}

TEST(CatalogueTest, TakesWhatIsNoCatalogueForAnEmptyOne) {
  for (const char* text : {"", "msgid", "msgid \"", "msgid \"a\nmsgstr \"b", "\"\"\n\"x\"",
                           "msgstr \"b\"", "#,", "\xff\xfe"}) {
    Catalogue catalogue;
    add_to(catalogue, text);
    EXPECT_THAT(catalogue, testing::IsEmpty()) << text;
  }
}

std::map<std::string, std::string>& variables() {
  static std::map<std::string, std::string> all;
  return all;
}

const char* variable(const char* name) {
  const auto found = variables().find(name);
  return found == variables().end() ? nullptr : found->second.c_str();
}

TEST(LanguageTest, IsTheOneThatGettextWouldTake) {
  struct Case {
    std::map<std::string, std::string> variables;
    std::vector<std::string> languages;
  };
  const Case cases[] = {
      {{}, {}},
      {{{"LANG", "C.UTF-8"}}, {"C"}},
      {{{"LANG", "es_ES.UTF-8"}}, {"es_ES", "es"}},
      {{{"LANG", "es_ES.UTF-8"}, {"LC_MESSAGES", "pl"}}, {"pl"}},
      {{{"LANG", "es_ES.UTF-8"}, {"LC_ALL", "C"}}, {}},
      {{{"LANG", "de_DE@euro"}, {"LANGUAGE", "es:pl_PL"}}, {"es", "pl_PL", "pl"}},
      {{{"LANG", "POSIX"}, {"LANGUAGE", "es"}}, {}},
      {{{"LC_ALL", ""}, {"LANG", "es"}}, {"es"}},
      {{{"LANG", "es"}, {"TILEWISE_LANGUAGE", "en"}}, {"en"}},
  };
  for (const Case& c : cases) {
    variables() = c.variables;
    EXPECT_EQ(wanted_languages(variable), c.languages) << testing::PrintToString(c.variables);
  }
}

class TranslationTest : public testing::Test {
 protected:
  TranslationTest() { std::filesystem::create_directory(folder_); }
  ~TranslationTest() override {
    std::filesystem::remove_all(folder_);
    speak_english();
  }

  void speak_test_language(const std::string& po) {
    const auto file = folder_ / "xx.po";
    std::ofstream(file) << po;
    speak("xx", file);
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("tilewise_language_" + std::to_string(getpid()));
};

TEST_F(TranslationTest, ReadsEnglishWithoutACatalogue) {
  EXPECT_EQ(tr("{} of {}", 1, "two"), "1 of two");
  EXPECT_EQ(language(), "en");
}

TEST_F(TranslationTest, FillsInTheArguments) {
  speak_test_language("msgid \"{} of {}\"\nmsgstr \"de {1}, {0}\"\n");
  EXPECT_EQ(tr("{} of {}", 1, "two"), "de two, 1");
  EXPECT_EQ(tr("{} in {}", 1, "two"), "1 in two");
  EXPECT_EQ(language(), "xx");
}

TEST_F(TranslationTest, FallsBackWhereATranslationAsksForOtherArguments) {
  for (const char* wrong : {"{} {} {}", "{:d} {}", "{2}", "{", "}"}) {
    speak_test_language(fmt::format("msgid \"{{}} and {{}}\"\nmsgstr \"{}\"\n", wrong));
    EXPECT_EQ(tr("{} and {}", "a", "b"), "a and b") << wrong;
  }
}

TEST_F(TranslationTest, TakesApartWhatIsMadeElsewhere) {
  constexpr const char* forms[] = {"{} is required", "{}: {} not in {}", "a signal"};
  const auto told = [&](const char* english) { return retold(english, forms); };
  speak_test_language(
      "msgid \"{} is required\"\nmsgstr \"falta {}\"\n\n"
      "msgid \"{}: {} not in {}\"\nmsgstr \"{1}, que no está en {2}: {0}\"\n\n"
      "msgid \"a signal\"\nmsgstr \"una señal\"\n");
  EXPECT_EQ(told("STAGE is required"), "falta STAGE");
  EXPECT_EQ(told("--n: {} not in a, b"), "{}, que no está en a, b: --n");
  EXPECT_EQ(told("a signal"), "una señal");
  for (const char* other : {"", "is required", "STAGE is required.", "a: b", "a signal came"}) {
    EXPECT_EQ(told(other), other);
  }
  speak_english();
  EXPECT_EQ(told("STAGE is required"), "STAGE is required");
}

TEST_F(TranslationTest, FindsATextBesideTheEnglishOne) {
  const auto english = folder_ / "README.md";
  std::ofstream(folder_ / "README.xx.md") << "text";
  EXPECT_EQ(text_in_language(english), english);
  speak_test_language("");
  EXPECT_EQ(text_in_language(english), folder_ / "README.xx.md");
  EXPECT_EQ(text_in_language(folder_ / "NOTES.md"), folder_ / "NOTES.md");
}

}  // namespace
}  // namespace tilewise::core
