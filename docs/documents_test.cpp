#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/process/command.hpp"
#include "grading/builder/layout.hpp"
#include "grading/course/stages.hpp"

// These tests check that everything that documents name exists.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::ContainerEq;
using testing::Contains;
using testing::SizeIs;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::set<std::string> all_of(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.insert((*match)[1]);
  }
  return found;
}

/// A command in a console's text: `./lab cohort grade submissions/ --out graded/`.
struct LabCommand {
  std::vector<std::string> names;  ///< cohort, grade
  std::set<std::string> flags;     ///< --out
};

std::vector<LabCommand> lab_commands(const fs::path& document) {
  std::vector<LabCommand> commands;
  std::istringstream lines(text_of(document));
  for (std::string line; std::getline(lines, line);) {
    line = std::regex_replace(line, std::regex("'[^']*'"), "''");  // arguments for other programs
    const std::set<std::string> rest = all_of(line, std::regex(R"(^(?:\$ )?\./lab ([a-z].*))"));
    if (rest.empty()) continue;
    LabCommand command;
    std::istringstream words(*rest.begin());
    for (std::string word; words >> word && word != "#";) {
      const bool second = command.names.size() == 1 && command.names[0] == "cohort";
      if (command.names.empty() || second) command.names.push_back(word);
      if (word.starts_with("--")) command.flags.insert(word.substr(0, word.find('=')));
    }
    commands.push_back(command);
  }
  return commands;
}

TEST(ThreatModel, NamesEveryExploit) {
  std::multiset<std::string> exploits;
  const fs::path attacks = layout().root / "grading" / "attacks";
  for (const fs::path& folder : {attacks, attacks / "on_gpu"}) {
    for (const auto& stage : fs::directory_iterator(folder)) {
      if (!stage.is_directory() || stage.path().filename() == "on_gpu") continue;
      for (const auto& file : fs::directory_iterator(stage)) {
        exploits.insert(file.path().lexically_relative(folder).string());
      }
    }
  }
  const std::string page = text_of(layout().root / "docs" / "threat-model.md");
  const std::regex line(R"(\n\| `(\d\d_\w+/\w+\.cu)` \|)");
  std::multiset<std::string> named;
  for (std::sregex_iterator found(page.begin(), page.end(), line), end; found != end; ++found) {
    named.insert((*found)[1]);
  }
  EXPECT_THAT(named, ContainerEq(exploits));
}

/// The "Suite.Test" of every GoogleTest in the sources.
std::set<std::string> tests_in_sources() {
  std::set<std::string> tests;
  const std::regex declared(R"(\nTEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
  for (const char* part : {"common", "grading", "tools", "docs"}) {
    for (const auto& item : fs::recursive_directory_iterator(layout().root / part)) {
      if (!item.path().filename().string().ends_with("_test.cpp")) continue;
      const std::string source = text_of(item.path());
      for (std::sregex_iterator found(source.begin(), source.end(), declared), end; found != end;
           ++found) {
        tests.insert((*found)[1].str() + "." + (*found)[2].str());
      }
    }
  }
  return tests;
}

TEST(ThreatModel, HasATestForEachSentenceOfWhatHolds) {
  const std::string page = text_of(layout().root / "docs" / "threat-model.md");
  const std::size_t begin = page.find("\n## What holds it");
  ASSERT_NE(begin, page.npos);
  std::istringstream lines(page.substr(begin, page.find("\n## ", begin + 1) - begin));
  const std::set<std::string> tests = tests_in_sources();
  const std::regex quoted("`([^`]+)`");
  int sentences = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ") || line.starts_with("| what holds") || line.starts_with("| ---")) {
      continue;
    }
    ++sentences;
    const std::size_t last_cell = line.rfind('|', line.size() - 2);
    const std::set<std::string> names = all_of(line.substr(last_cell), quoted);
    EXPECT_THAT(names, SizeIs(testing::Ge(1))) << line;
    for (const std::string& name : names) {
      const bool is_exploit = fs::exists(layout().root / "grading" / name) && name.ends_with(".cu");
      EXPECT_TRUE(is_exploit || tests.contains(name)) << name << " in\n" << line;
    }
  }
  EXPECT_GE(sentences, 20);
}

TEST(Documents, NameCommandsThatThereAre) {
  for (const char* document : {"README.md", "docs/instructors.md"}) {
    const std::vector<LabCommand> commands = lab_commands(layout().root / document);
    EXPECT_THAT(commands, SizeIs(testing::Ge(5))) << document;
    for (const LabCommand& command : commands) {
      Command help;
      help.arguments = {tool("tilewise")};
      help.arguments.insert(help.arguments.end(), command.names.begin(), command.names.end());
      help.arguments.emplace_back("--help");
      const CommandResult answer = run_command(help);
      EXPECT_TRUE(answer.succeeded()) << document << ": " << testing::PrintToString(command.names);
      const std::set<std::string> known = all_of(answer.output, std::regex("(--[a-z0-9-]+)"));
      for (const std::string& flag : command.flags) {
        EXPECT_THAT(known, Contains(flag))
            << document << ": " << testing::PrintToString(command.names);
      }
    }
  }
}

// docs/sources.md says for each item of the five documents where it is, what was published, what
// comes out here, and what its state is.

/// A row of one of the page's tables.
struct SourceItem {
  std::string item, where, published, ours, state;

  std::string word_of_state() const { return state.substr(0, state.find(':')); }
};

struct SourceDocument {
  std::string name;             ///< put2025
  std::vector<fs::path> files;  ///< the files with its figures, named above the table
  std::vector<SourceItem> items;
};

const fs::path& sources_page() {
  static const fs::path page = layout().root / "docs" / "sources.md";
  return page;
}

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream rest(row.substr(1));  // after the first bar
  for (std::string cell; std::getline(rest, cell, '|');) {
    const std::size_t begin = cell.find_first_not_of(' ');
    if (begin == cell.npos) continue;
    cells.push_back(cell.substr(begin, cell.find_last_not_of(' ') + 1 - begin));
  }
  return cells;
}

const std::regex& link() {
  static const std::regex pattern(R"(\]\(([^()#\s]+)(?:#[^()\s]*)?\))");
  return pattern;
}

fs::path file_of(const std::string& target) {
  return (sources_page().parent_path() / target).lexically_normal();
}

std::vector<SourceDocument> read_sources() {
  std::vector<SourceDocument> documents;
  std::istringstream lines(text_of(sources_page()));
  bool in_table = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## Manuals")) break;
    if (line.starts_with("### ")) {
      documents.push_back({line.substr(4), {}, {}});
    } else if (documents.empty()) {
      continue;
    } else if (line.starts_with("| item of ")) {
      in_table = true;
    } else if (!line.starts_with("| ")) {
      in_table = false;
      for (const std::string& target : all_of(line, link())) {
        if (target.ends_with(".csv")) documents.back().files.push_back(file_of(target));
      }
    } else if (in_table && !line.starts_with("| ---")) {
      std::vector<std::string> cells = cells_of(line);
      EXPECT_THAT(cells, SizeIs(5)) << line;
      cells.resize(5);
      documents.back().items.push_back({cells[0], cells[1], cells[2], cells[3], cells[4]});
    }
  }
  return documents;
}

const std::vector<SourceDocument>& source_documents() {
  static const std::vector<SourceDocument> documents = read_sources();
  return documents;
}

bool is_in_a_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The numbers in a text, as a page prints them, "1,024" or "63.9"; digits that are part of a name
/// are left out.
std::vector<std::string> numbers_in(const std::string& text) {
  std::vector<std::string> numbers;
  const std::regex number(R"(\d+(?:,\d{3})*(?:\.\d+)?)");
  for (std::sregex_iterator match(text.begin(), text.end(), number), end; match != end; ++match) {
    const auto first = static_cast<std::size_t>(match->position());
    const std::size_t behind = first + match->str().size();
    if (first > 0 && (is_in_a_word(text[first - 1]) || text[first - 1] == '.')) continue;
    if (behind < text.size() && is_in_a_word(text[behind])) continue;
    numbers.push_back(match->str());
  }
  return numbers;
}

/// The numbers that need a source: neither small whole numbers, nor orders, nor shapes.
std::vector<std::string> figures_in(const std::string& text) {
  const std::regex no_figures(R"(GTX? \d+|compute capability \d\.\d|n = [\d,]+|\d+ x \d+)");
  std::vector<std::string> figures;
  for (const std::string& number : numbers_in(std::regex_replace(text, no_figures, " "))) {
    std::size_t digits = 0;
    for (const char c : number) digits += std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digits >= 3 || number.find('.') != number.npos) figures.push_back(number);
  }
  return figures;
}

double value_of(std::string number) {
  std::erase(number, ',');
  return std::strtod(number.c_str(), nullptr);
}

bool is_rounded_to(const std::string& figure, double value) {
  const std::size_t point = figure.find('.');
  const int decimals = point == figure.npos ? 0 : static_cast<int>(figure.size() - point - 1);
  const double unit = std::pow(10, -decimals);
  return std::abs(value_of(figure) - value) <= unit * (0.5 + 1e-6) + 1e-12 * std::abs(value);
}

using TableRow = std::map<std::string, std::string>;

std::vector<TableRow> rows_of(const fs::path& csv) {
  const auto fields_of = [](const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream rest(line);
    for (std::string field; std::getline(rest, field, ',');) {
      if (field.ends_with('\r')) field.pop_back();  // spreadsheets end lines so
      fields.push_back(field);
    }
    return fields;
  };
  std::vector<TableRow> rows;
  std::istringstream lines(text_of(csv));
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> header = fields_of(line);
  while (std::getline(lines, line)) {
    const std::vector<std::string> fields = fields_of(line);
    TableRow row;
    for (std::size_t i = 0; i < header.size() && i < fields.size(); ++i) row[header[i]] = fields[i];
    rows.push_back(row);
  }
  return rows;
}

/// The cells of a document's files at "n=4096, block=16, rx=6, ry=6, gflops": every cell that fits.
std::vector<std::string> cells_at(const std::string& place, const SourceDocument& document) {
  std::vector<std::pair<std::string, std::string>> keys;
  std::string column;
  for (std::size_t begin = 0; begin < place.size();) {
    const std::size_t end = std::min(place.find(", ", begin), place.size());
    const std::string part = place.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    if (equals == part.npos) {
      column = part;
    } else {
      keys.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    }
    begin = end + 2;
  }
  std::vector<std::string> cells;
  for (const fs::path& file : document.files) {
    for (const TableRow& row : rows_of(file)) {
      bool fits = row.contains(column);
      if (row.contains("document")) fits &= row.at("document") == document.name;
      for (const auto& [key, value] : keys) fits &= row.contains(key) && row.at(key) == value;
      if (fits) cells.push_back(row.at(column));
    }
  }
  return cells;
}

/// The milliseconds of a call in the tables of the model of a kernel's time.
struct ModelledCall {
  std::string measured, modelled;
};

/// The calls in those tables, by document, then by call.
const std::map<std::string, std::map<std::string, ModelledCall>>& modelled_calls() {
  static const auto calls = [] {
    std::map<std::string, std::map<std::string, ModelledCall>> found;
    const fs::path page = layout().root / "docs" / "measurements" / "2026-11-21-model.md";
    std::istringstream lines(text_of(page));
    std::string document;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("## ")) document = line.substr(3);
      const std::regex row(
          R"(\| `([^`]+)` \| \w+ \| (?:yes)? *\| ([\d.]+) \| ([\d.]+) \| [+-]\d+% \|.*)");
      std::smatch match;
      if (std::regex_match(line, match, row)) found[document][match[1]] = {match[2], match[3]};
    }
    return found;
  }();
  return calls;
}

const std::map<std::string, ModelledCall>& calls_of(const SourceDocument& document) {
  static const std::map<std::string, ModelledCall> none;
  const auto found = modelled_calls().find(document.name);
  return found == modelled_calls().end() ? none : found->second;
}

/// The calls of the model's tables that a cell names, in their order.
std::vector<std::string> calls_in(const std::string& cell) {
  std::vector<std::string> calls;
  const std::regex call(R"(`(\w+\([^`]*\))`)");
  for (std::sregex_iterator match(cell.begin(), cell.end(), call), end; match != end; ++match) {
    calls.push_back((*match)[1]);
  }
  return calls;
}

enum class Column { published, ours };

/// Lists what is wrong with the figures of a cell, "" if nothing is: each figure must be in the
/// source that is named after it.
std::string wrong_figures(const std::string& cell, Column column, const SourceDocument& document) {
  const std::regex reference(
      R"(`([^`]+)`|\[[^\]]*\]\(([^()#\s]+)(?:#[^()\s]*)?\))"
      R"(|\(((?:tables?|listings?|figures?|sections?|introduction|further work|the c\w+)\b)"
      R"([^()]*)\))");
  std::ostringstream wrong;
  std::vector<std::string> figures;  // since the previous reference
  std::size_t read = 0;
  for (std::sregex_iterator match(cell.begin(), cell.end(), reference), end; match != end;
       ++match) {
    const auto begin = static_cast<std::size_t>(match->position());
    for (const std::string& figure : figures_in(cell.substr(read, begin - read))) {
      figures.push_back(figure);
    }
    read = begin + match->str().size();
    const std::string code = (*match)[1], target = (*match)[2], place = (*match)[3];
    std::vector<double> there;  // the values that the figures must match
    if (code.starts_with("./lab profile ") || code.starts_with("./lab occupancy ")) {
      figures.clear();  // docs/handouts/checks/sources.py runs these
    } else if (std::regex_match(code, std::regex(R"(\w+\(.*\))"))) {
      const auto call = calls_of(document).find(code);
      if (call == calls_of(document).end()) {
        wrong << "the model's tables have no " << code << "\n";
        continue;
      }
      there = {
          value_of(column == Column::published ? call->second.measured : call->second.modelled)};
      if (figures.size() != 1) wrong << figures.size() << " figures for " << code << "\n";
    } else if (code.find('=') != code.npos && !code.starts_with("./lab ")) {
      const std::vector<std::string> cells = cells_at(code, document);
      if (cells.size() != 1) wrong << cells.size() << " cells at " << code << "\n";
      for (const std::string& each : cells) there.push_back(value_of(each));
    } else if (!target.empty()) {
      std::string text = text_of(file_of(target));
      if (target.ends_with(".csv")) text = std::regex_replace(text, std::regex(","), " ");
      for (const std::string& number : numbers_in(text)) there.push_back(value_of(number));
    } else if (!place.empty() && column == Column::published) {
      figures.clear();  // the document itself is the source
    } else {
      continue;  // a name
    }
    for (const std::string& figure : figures) {
      const bool found = std::ranges::any_of(
          there, [&figure](double value) { return is_rounded_to(figure, value); });
      if (!found) wrong << figure << " is not in " << code << target << "\n";
    }
    figures.clear();
  }
  for (const std::string& figure : figures_in(cell.substr(read))) figures.push_back(figure);
  for (const std::string& figure : figures) wrong << "nothing vouches for " << figure << "\n";
  return wrong.str();
}

TEST(Sources, SayOfEachItemHowItStands) {
  const std::regex state(R"(works|(?:partly|missing|differs): [A-Z`].+\.)");
  std::set<std::string> names;
  for (const SourceDocument& document : source_documents()) {
    names.insert(document.name);
    EXPECT_THAT(document.items, SizeIs(testing::Ge(20))) << document.name;
    std::set<std::string> seen;
    for (const SourceItem& item : document.items) {
      EXPECT_TRUE(seen.insert(item.item).second) << document.name << " twice: " << item.item;
      EXPECT_TRUE(std::regex_match(item.state, state))
          << document.name << ", " << item.item << ": " << item.state;
      EXPECT_TRUE(item.where != "nowhere" || item.word_of_state() == "missing") << item.item;
    }
  }
  EXPECT_THAT(names, ContainerEq(std::set<std::string>{"course2025", "fing2020", "muni2009",
                                                       "put2014", "put2025"}));
}

TEST(Sources, CountHowManyStandHow) {
  const std::string page = text_of(sources_page());
  std::map<std::string, int> of_all;
  const auto expect_line = [&page](const std::string& name, std::map<std::string, int>& counts) {
    std::string line = "\n| " + name + " | " + std::to_string(counts["items"]);
    for (const char* state : {"works", "partly", "missing", "differs"}) {
      line += " | " + std::to_string(counts[state]);
    }
    EXPECT_THAT(page, testing::HasSubstr(line + " |\n"));
  };
  for (const SourceDocument& document : source_documents()) {
    std::map<std::string, int> counts;
    for (const SourceItem& item : document.items) {
      for (const std::string& what : {std::string("items"), item.word_of_state()}) {
        ++counts[what];
        ++of_all[what];
      }
    }
    expect_line("[" + document.name + "](#" + document.name + ")", counts);
  }
  expect_line("all", of_all);
}

// docs/handouts/checks/sources.py checks commands and their options.
TEST(Sources, NamePlacesThatThereAre) {
  std::set<std::string> tests = tests_in_sources();
  std::string contracts;
  for (const char* part : {"labs", "grading/stages"}) {
    for (const auto& item : fs::recursive_directory_iterator(layout().root / part)) {
      if (item.path().extension() == ".hpp") contracts += text_of(item.path());
      if (item.path().filename() != "stage.json") continue;
      tests.merge(all_of(text_of(item.path()), std::regex(R"re("test": "(\w+\.\w+)")re")));
    }
  }
  const std::set<std::string> stages = [] {
    std::set<std::string> numbers;
    for (const StageInfo& stage : grading::stages()) {
      numbers.insert(std::to_string(std::stoi(stage.id)));
    }
    return numbers;
  }();
  for (const SourceDocument& document : source_documents()) {
    EXPECT_FALSE(document.files.empty()) << document.name;
    for (const fs::path& file : document.files) EXPECT_TRUE(fs::exists(file)) << file;
    for (const SourceItem& item : document.items) {
      const std::string row =
          item.where + " | " + item.published + " | " + item.ours + " | " + item.state;
      for (const std::string& target : all_of(row, link())) {
        EXPECT_TRUE(fs::exists(file_of(target))) << item.item << ": " << target;
      }
      for (const std::string& stage : all_of(row, std::regex(R"(\bstages? (\d+))"))) {
        EXPECT_THAT(stages, Contains(stage)) << item.item;
      }
      for (const std::string& test : all_of(row, std::regex(R"(`([A-Z]\w*\.[A-Z]\w*)`)"))) {
        EXPECT_THAT(tests, Contains(test)) << item.item;
      }
      const std::regex function(R"(`((?:matmul|transpose|dgemm|dtrsm)_\w+)`)");
      for (const std::string& name : all_of(row, function)) {
        EXPECT_THAT(contracts, testing::HasSubstr(name + "(")) << item.item;
      }
    }
  }
}

TEST(Sources, QuoteFiguresThatAreThere) {
  for (const SourceDocument& document : source_documents()) {
    for (const SourceItem& item : document.items) {
      const std::string place = document.name + ", " + item.item + ", ";
      EXPECT_EQ(wrong_figures(item.published, Column::published, document), "")
          << place << "published: " << item.published;
      EXPECT_EQ(wrong_figures(item.ours, Column::ours, document), "")
          << place << "ours: " << item.ours;
    }
  }
}

TEST(Sources, SayHowEachFigureCameAbout) {
  const std::regex way("modelled|counted|measured|worked out|printed|explained|quoted");
  for (const SourceDocument& document : source_documents()) {
    for (const SourceItem& item : document.items) {
      const std::string prose = std::regex_replace(item.ours, std::regex("`[^`]*`"), "");
      if (figures_in(std::regex_replace(prose, std::regex(R"(\([^()]*\))"), "")).empty()) continue;
      EXPECT_TRUE(std::regex_search(prose, way)) << document.name << ": " << item.ours;
    }
  }
}

TEST(Sources, WorkWhereTimesAreNearAndTheirOrderComesOut) {
  int times = 0, conclusions = 0;
  for (const SourceDocument& document : source_documents()) {
    const std::map<std::string, ModelledCall>& known = calls_of(document);
    for (const SourceItem& item : document.items) {
      if (item.state != "works") continue;
      std::vector<std::pair<double, double>> pairs;  // measured, modelled
      for (const std::string& call : calls_in(item.ours)) {
        ASSERT_TRUE(known.contains(call)) << call;
        pairs.emplace_back(value_of(known.at(call).measured), value_of(known.at(call).modelled));
      }
      if (!item.item.starts_with("conclusion: ")) {
        for (const auto& [measured, modelled] : pairs) {
          EXPECT_LE(std::abs(modelled / measured - 1), 0.2) << document.name << ": " << item.item;
          ++times;
        }
        continue;
      }
      conclusions += pairs.size() > 1;
      for (const auto& one : pairs) {
        for (const auto& other : pairs) {
          if (one.first < other.first) {
            EXPECT_LE(one.second, other.second) << document.name << ": " << item.item;
          }
        }
      }
    }
  }
  EXPECT_GE(times, 20);
  EXPECT_GE(conclusions, 10);
}

}  // namespace
}  // namespace tilewise::grading
