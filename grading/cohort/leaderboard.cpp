#include "grading/cohort/leaderboard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "grading/cohort/ledger.hpp"
#include "grading/page/render.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/results/files.hpp"
#include "grading/results/for_students.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/rates.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t longest_name_bytes = 48;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Returns the name that the first of a stage's files with a name gives.
std::string name_in_folder(const fs::path& folder) {
  std::vector<fs::path> sources;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".cu") sources.push_back(entry.path());
  }
  std::ranges::sort(sources);
  for (const fs::path& source : sources) {
    if (std::string name = name_on_leaderboard(text_of(source)); !name.empty()) return name;
  }
  return {};
}

std::vector<Entrant> entrants_in(const Ledger& ledger) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(ledger.folder() / "results")) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  std::vector<Entrant> entrants;
  for (const std::string& name : names) {
    const GradedSubmission graded = ledger.read(name);
    if (!graded.result) continue;
    for (const StageResult& stage : without_hidden(*graded.result).stages) {
      std::string shown = name_in_folder(ledger.submission(name) / "labs" / stage.id);
      if (!shown.empty()) entrants.push_back({std::move(shown), stage});
    }
  }
  return entrants;
}

std::string title_of(const Leaderboard& board) {
  return fmt::format("{}: {}", board.stage, board.test);
}

}  // namespace

std::string name_on_leaderboard(std::string_view source) {
  constexpr std::string_view mark = "leaderboard:";
  while (!source.empty()) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    std::string_view line = trimmed(source.substr(0, end));
    source.remove_prefix(std::min(end + 1, source.size()));
    if (!line.starts_with("//")) continue;
    line = trimmed(line.substr(2));
    if (!line.starts_with(mark)) continue;
    return for_students(trimmed(line.substr(mark.size())), longest_name_bytes);
  }
  return {};
}

std::vector<Leaderboard> leaderboards_of(const std::vector<Entrant>& entrants) {
  std::vector<Leaderboard> boards;
  for (const auto& [name, stage] : entrants) {
    if (stage.status != Status::passed) continue;
    for (const TestResult& test : stage.tests) {
      for (const MeasuredRate& rate : rates_of(test)) {
        auto board = std::ranges::find_if(boards, [&](const Leaderboard& one) {
          return one.stage == stage.id && one.test == test.name &&
                 one.measurement == rate.measurement;
        });
        if (board == boards.end()) {
          board = boards.insert(boards.end(), {stage.id, test.name, rate.measurement, {}});
        }
        board->places.push_back({1, name, rate.value});
      }
    }
  }
  std::ranges::stable_sort(boards, {}, &Leaderboard::stage);
  for (Leaderboard& board : boards) {
    std::ranges::stable_sort(board.places, std::ranges::greater(), &Leaderboard::Place::value);
    for (std::size_t i = 1; i < board.places.size(); ++i) {
      const bool shared = board.places[i].value == board.places[i - 1].value;
      board.places[i].rank = shared ? board.places[i - 1].rank : static_cast<int>(i) + 1;
    }
  }
  return boards;
}

void show_leaderboard(const fs::path& graded, const fs::path& page) {
  const std::optional<CohortSettings> settings = find_settings(graded);
  if (!settings) {
    throw CannotGrade(
        fmt::format("{} holds no graded submissions; first ./lab cohort grade SUBMISSIONS --out {}",
                    printable(graded.string()), printable(graded.string())));
  }
  demand_writable(page);
  const std::vector<Leaderboard> boards = leaderboards_of(entrants_in(Ledger(graded)));
  if (boards.empty()) {
    std::cout
        << "Nobody is on the leaderboard: who has passed a stage with a rate, and has a line\n"
           "'// leaderboard: NAME' in its kernel file, is shown under that name.\n";
  }
  Json document = {{"settings", in_words(*settings)}, {"boards", Json::array()}};
  for (const Leaderboard& board : boards) {
    const std::string unit = unit_of(board.measurement);
    std::cout << fmt::format("{}, {}\n", title_of(board), unit);
    Json places = Json::array();
    for (const auto& [rank, name, value] : board.places) {
      std::cout << fmt::format("{:>4}  {:>10}  {}\n", rank, significant(value), name);
      places.push_back({{"rank", rank}, {"name", name}, {"rate", value}});
    }
    document["boards"].push_back({{"title", title_of(board)},
                                  {"measurement", board.measurement},
                                  {"unit", unit},
                                  {"places", places}});
  }
  if (page.empty()) return;
  write_output(page, render("leaderboard", std::move(document)));
  std::cout << fmt::format("{}: the leaderboard as a page\n", printable(page.string()));
}

}  // namespace tilewise::grading
