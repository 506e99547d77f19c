#include "grading/cohort/ledger.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <system_error>

#include "grading/cli/submission.hpp"
#include "grading/problem/inputs.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema = "tilewise/cohort/v1";

fs::path file_in(const fs::path& out) { return out / "cohort.json"; }

Json document_of(const CohortSettings& settings) {
  return {{"schema", schema},
          {"stages", settings.stages},
          {"backend", settings.backend},
          {"gpu", settings.gpu},
          // The seed is stored as text, because JSON's numbers do not hold 64 bits.
          {"seed", std::to_string(settings.seed)},
          {"pseudonyms", settings.pseudonyms}};
}

CohortSettings read_settings(const fs::path& file) {
  try {
    std::ifstream stream(file);
    const Json document = Json::parse(stream);
    if (document.at("schema") != schema) throw std::runtime_error("its schema is another one");
    return {document.at("stages").get<std::vector<std::string>>(),
            document.at("backend").get<std::string>(), document.at("gpu").get<std::string>(),
            std::stoull(document.at("seed").get<std::string>()),
            document.value("pseudonyms", false)};
  } catch (const std::exception& error) {
    throw CannotGrade(fmt::format("{} of an earlier run cannot be read: {}. Name another --out.",
                                  printable(file.string()), printable(error.what())));
  }
}

}  // namespace

std::string in_words(const CohortSettings& settings) {
  return fmt::format("Stages {}; backend {}, {}; seed {}", fmt::join(settings.stages, ", "),
                     settings.backend, settings.gpu, settings.seed);
}

std::uint64_t seed_for(const CohortSettings& settings, const std::string& name) {
  return seeded_random(settings.seed, name)();
}

std::optional<CohortSettings> find_settings(const fs::path& out) {
  if (!fs::exists(file_in(out))) return std::nullopt;
  return read_settings(file_in(out));
}

CohortSettings settle(const fs::path& out, CohortSettings wanted) {
  const std::optional<CohortSettings> earlier = find_settings(out);
  if (!earlier) {
    write_whole(file_in(out), to_file(document_of(wanted)));
    return wanted;
  }
  wanted.seed = earlier->seed;
  if (wanted == *earlier) return wanted;
  throw CannotGrade(fmt::format(
      "{} holds a run of other settings: stages {}, backend {}, GPU {}, {} pseudonyms. Name "
      "another --out.",
      printable(out.string()), fmt::join(earlier->stages, " "), earlier->backend, earlier->gpu,
      earlier->pseudonyms ? "with" : "without"));
}

std::string file_name_of(const std::string& name) {
  // A file's name may have 255 bytes, some of which are needed for ".problem.part".
  constexpr std::size_t longest = 200;
  std::string plain = name;
  std::ranges::replace(plain, '/', '_');
  if (plain.starts_with('.')) plain[0] = '_';
  if (name.size() <= longest && plain == name) return name;
  // FNV-1a gives the same number on every machine of a cluster.
  std::uint64_t number = 0xCBF29CE484222325;
  for (const char c : name) number = (number ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return fmt::format("{}~{:016x}", plain.substr(0, longest - 17), number);
}

Ledger::Ledger(fs::path out) : out_(std::move(out)) {
  for (const char* part : {"submissions", "results", "seconds"}) {
    std::error_code error;
    fs::create_directories(out_ / part, error);
    if (error) {
      throw CannotGrade(fmt::format("cannot make the folder {}: {}",
                                    printable((out_ / part).string()), error.message()));
    }
  }
}

fs::path Ledger::submission(const std::string& name) const {
  return out_ / "submissions" / file_name_of(name);
}
fs::path Ledger::result_file(const std::string& name) const {
  return out_ / "results" / (file_name_of(name) + ".json");
}
fs::path Ledger::problem_file(const std::string& name) const {
  return out_ / "results" / (file_name_of(name) + ".problem");
}

bool Ledger::is_done(const std::string& name) const {
  std::error_code ignored;
  return fs::exists(result_file(name), ignored) || fs::exists(problem_file(name), ignored);
}

void Ledger::forget(const std::string& name) const {
  for (const fs::path& file : {result_file(name), problem_file(name)}) {
    std::error_code error;
    fs::remove(file, error);
    if (error) {
      throw CannotGrade(
          fmt::format("cannot remove {}: {}", printable(file.string()), error.message()));
    }
  }
}

void Ledger::enter(const std::string& name, const GradedSubmission& graded, double seconds) const {
  write_whole(out_ / "seconds" / file_name_of(name), fmt::format("{:.1f}\n", seconds));
  if (graded.result) {
    write_whole(result_file(name), to_file(*graded.result));
  } else {
    write_whole(problem_file(name), graded.problem);
  }
}

GradedSubmission Ledger::read(const std::string& name) const {
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
  std::ifstream(out_ / "seconds" / file_name_of(name)) >> seconds;
  return seconds;
}

}  // namespace tilewise::grading
