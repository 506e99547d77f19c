#include "grading/cohort/ledger.hpp"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

#include "grading/cli/output_file.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/report/file_text.hpp"
#include "grading/report/json.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

}  // namespace

Ledger::Ledger(fs::path out) : out_(std::move(out)) {
  for (const char* part : {"submissions", "results", "feedback", "seconds"}) {
    std::error_code error;
    fs::create_directories(out_ / part, error);
    if (error) {
      throw CannotGrade(fmt::format("cannot make the folder {}: {}",
                                    printable((out_ / part).string()), error.message()));
    }
  }
}

fs::path Ledger::submission(const std::string& name) const { return out_ / "submissions" / name; }
fs::path Ledger::result_file(const std::string& name) const {
  return out_ / "results" / (name + ".json");
}
fs::path Ledger::problem_file(const std::string& name) const {
  return out_ / "results" / (name + ".problem");
}

bool Ledger::is_done(const std::string& name) const {
  return fs::exists(result_file(name)) || fs::exists(problem_file(name));
}

void Ledger::enter(const std::string& name, const CohortOutcome& outcome,
                   const std::string& feedback, double seconds) const {
  write_whole(out_ / "feedback" / (name + ".txt"), feedback);
  write_whole(out_ / "seconds" / name, fmt::format("{:.1f}\n", seconds));
  if (outcome.result) {
    write_whole(result_file(name), to_file(*outcome.result));
  } else {
    write_whole(problem_file(name), outcome.problem);
  }
}

CohortOutcome Ledger::outcome(const std::string& name) const {
  if (fs::exists(problem_file(name))) return {{}, text_of(problem_file(name))};
  const fs::path file = result_file(name);
  try {
    return {nlohmann::ordered_json::parse(text_of(file)).get<GradeResult>(), ""};
  } catch (const std::exception& error) {
    throw CannotGrade(fmt::format("{} is damaged ({}): remove it, and run again",
                                  printable(file.string()), printable(error.what())));
  }
}

double Ledger::seconds(const std::string& name) const {
  double seconds = 0;
  std::ifstream(out_ / "seconds" / name) >> seconds;
  return seconds;
}

}  // namespace tilewise::grading
