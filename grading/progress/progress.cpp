#include "grading/progress/progress.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "common/base/language.hpp"
#include "common/process/command.hpp"
#include "grading/cli/submission.hpp"
#include "grading/results/causes.hpp"
#include "grading/results/files.hpp"
#include "grading/results/for_students.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {

StageProgress progress_of(const Progress& progress, const std::string& stage) {
  const auto found = progress.stages.find(stage);
  return found == progress.stages.end() ? StageProgress{} : found->second;
}

bool has_passed(const Progress& progress, const std::string& stage) {
  const StageProgress known = progress_of(progress, stage);
  return known.status == Status::passed || (known.status && !known.first_passed.empty());
}

const StageInfo& current_stage(const Progress& progress, const std::vector<StageInfo>& course) {
  auto stage = std::ranges::find(course, progress.current, &StageInfo::id);
  if (stage != course.end()) return *stage;
  stage = std::ranges::find_if(
      course, [&](const StageInfo& candidate) { return !has_passed(progress, candidate.id); });
  return stage != course.end() ? *stage : course.back();
}

const StageInfo* next_stage(const Progress& progress, const std::vector<StageInfo>& course,
                            const std::string& from) {
  const auto at = std::ranges::find(course, from, &StageInfo::id) - course.begin();
  const auto count = static_cast<std::ptrdiff_t>(course.size());
  for (std::ptrdiff_t step = 1; step <= count; ++step) {
    const StageInfo& candidate = course[static_cast<std::size_t>((at + step) % count)];
    if (candidate.id != from && !has_passed(progress, candidate.id)) return &candidate;
  }
  return nullptr;
}

void keep_prediction(StageProgress& progress, const KeptPrediction& prediction) {
  const auto known = std::ranges::find_if(progress.predictions, [&](const KeptPrediction& other) {
    return other.call == prediction.call && other.figure == prediction.figure;
  });
  if (known == progress.predictions.end()) {
    progress.predictions.push_back(prediction);
    return;
  }
  const std::string first = known->predicted;
  *known = prediction;
  known->predicted = first;
}

std::string key_of(const Failure& failure) {
  std::string words = failure.finding.message;
  std::erase_if(words, [](unsigned char c) { return !std::isalpha(c); });
  return fmt::format("{} {}:{} {}", failure.test, failure.finding.file, failure.finding.line,
                     words.substr(0, 60));
}

namespace {

/// The measurements that say how fast a learner's kernel is.
constexpr std::array rates = {"gflops", "gb_s"};

void keep_best(BestRates& best, const std::string& device, const TestResult& test) {
  // Only the rate of a correct kernel counts as a record.
  if (test.status != Status::passed) return;
  for (const char* unit : rates) {
    const auto measured = test.measurements.find(unit);
    if (measured == test.measurements.end()) continue;
    Rate& rate = best[device].try_emplace(test.name).first->second;
    if (measured->second > rate.value) rate = {unit, measured->second};
  }
}

}  // namespace

void record(Progress& progress, const GradeResult& result, const Circumstances& circumstances) {
  const GradeResult shown = without_hidden(result);
  if (shown.stages.size() == 1) progress.current = shown.stages.front().id;
  for (const StageResult& stage : shown.stages) {
    StageProgress& entry = progress.stages[stage.id];
    entry.status = stage.status;
    entry.score = stage.score;
    entry.max_score = stage.max_score;
    entry.best_score = std::max(entry.best_score, stage.score);
    if (stage.status == Status::passed && entry.first_passed.empty()) {
      entry.first_passed = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(circumstances.when));
    }
    for (const TestResult& test : stage.tests) keep_best(entry.best, result.device, test);
    entry.last_failure.reset();
    if (stage.status == Status::passed) continue;
    if (const TestResult* test = nearest_cause(stage)) {
      entry.last_failure =
          Failure{test->name,         test->category, test->status,     test->finding,
                  circumstances.seed, result.backend, circumstances.gpu};
    }
  }
}

using Json = nlohmann::ordered_json;

/// The place that `lab debug` starts from, without the fields that are unknown.
Json place_of(const Finding& finding) {
  Json document = {{"call", finding.call}};
  if (finding.place) {
    document["block"] = finding.place->block;
    document["thread"] = finding.place->thread;
  }
  if (finding.matrix.empty()) return document;
  document["matrix"] = finding.matrix;
  document["row"] = finding.row;
  document["col"] = finding.col;
  return document;
}

void read_place(const Json& document, Finding& finding) {
  document.at("call").get_to(finding.call);
  if (document.contains("block")) {
    using Index = std::array<unsigned, 3>;
    finding.place = {document["block"].get<Index>(), document.at("thread").get<Index>()};
  }
  finding.matrix = document.value("matrix", "");
  finding.row = document.value("row", 0);
  finding.col = document.value("col", 0);
}

void to_json(Json& document, const Failure& failure) {
  document = Json{{"test", failure.test},
                  {"category", to_string(failure.category)},
                  {"status", to_string(failure.status)},
                  {"message", failure.finding.message},
                  {"hint", failure.finding.hint},
                  {"file", failure.finding.file},
                  {"line", failure.finding.line},
                  {"seed", failure.seed},
                  {"backend", failure.backend},
                  {"gpu", failure.gpu}};
  if (!failure.finding.call.empty()) document["place"] = place_of(failure.finding);
}

void from_json(const Json& document, Failure& failure) {
  document.at("test").get_to(failure.test);
  failure.category = category_from_string(document.at("category").get<std::string>());
  failure.status = status_from_string(document.at("status").get<std::string>());
  document.at("message").get_to(failure.finding.message);
  document.at("hint").get_to(failure.finding.hint);
  document.at("file").get_to(failure.finding.file);
  document.at("line").get_to(failure.finding.line);
  document.at("seed").get_to(failure.seed);
  document.at("backend").get_to(failure.backend);
  document.at("gpu").get_to(failure.gpu);
  if (document.contains("place")) read_place(document.at("place"), failure.finding);
}

void to_json(Json& document, const Rate& rate) { document = Json{{rate.unit, rate.value}}; }

void from_json(const Json& document, Rate& rate) {
  const auto entry = document.get<std::map<std::string, double>>();
  if (entry.size() != 1) throw std::invalid_argument(tr("a best rate must have one unit"));
  rate = {entry.begin()->first, entry.begin()->second};
}

void to_json(Json& document, const KeptPrediction& prediction) {
  document = Json{{"call", prediction.call},
                  {"figure", prediction.figure},
                  {"predicted", prediction.predicted},
                  {"counted", prediction.counted},
                  {"gpu", prediction.gpu},
                  {"of_solution", prediction.of_solution}};
}

void from_json(const Json& document, KeptPrediction& prediction) {
  document.at("call").get_to(prediction.call);
  document.at("figure").get_to(prediction.figure);
  document.at("predicted").get_to(prediction.predicted);
  document.at("counted").get_to(prediction.counted);
  document.at("gpu").get_to(prediction.gpu);
  document.at("of_solution").get_to(prediction.of_solution);
}

void to_json(Json& document, const StageProgress& stage) {
  document = Json{{"status", stage.status ? Json(to_string(*stage.status)) : Json("new")},
                  {"score", stage.score},
                  {"max_score", stage.max_score},
                  {"best_score", stage.best_score},
                  {"first_passed", stage.first_passed},
                  {"best", stage.best},
                  {"hints", {{"aimed_at", stage.hints.aimed_at}, {"tiers", stage.hints.tiers}}}};
  if (stage.last_failure) document["last_failure"] = *stage.last_failure;
  if (!stage.predictions.empty()) document["predictions"] = stage.predictions;
}

void from_json(const Json& document, StageProgress& stage) {
  const auto status = document.at("status").get<std::string>();
  if (status != "new") stage.status = status_from_string(status);
  document.at("score").get_to(stage.score);
  document.at("max_score").get_to(stage.max_score);
  stage.best_score = document.value("best_score", stage.score);  // older files lack it
  document.at("first_passed").get_to(stage.first_passed);
  document.at("best").get_to(stage.best);
  document.at("hints").at("aimed_at").get_to(stage.hints.aimed_at);
  document.at("hints").at("tiers").get_to(stage.hints.tiers);
  if (document.contains("last_failure")) {
    stage.last_failure = document.at("last_failure").get<Failure>();
  }
  if (document.contains("predictions")) document.at("predictions").get_to(stage.predictions);
}

void to_json(Json& document, const Progress& progress) {
  document =
      Json{{"schema", progress_schema}, {"current", progress.current}, {"stages", progress.stages}};
}

void from_json(const Json& document, Progress& progress) {
  document.at("current").get_to(progress.current);
  document.at("stages").get_to(progress.stages);
}

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

[[noreturn]] void unusable(const fs::path& file, const std::string& why) {
  const std::string name = printable(file.string());
  throw CannotGrade(
      tr("{} {}.\nMove it away (mv {} {}.old) or delete it, and a new one is begun; "
         "your kernels are not in it",
         name, why, name, name));
}

/// Holds the lock of a course until the end of its scope. The lock is a file of its own, because
/// the file that it guards is replaced at each change.
class Lock {
 public:
  explicit Lock(const fs::path& root) : Lock() {
    const fs::path file = root / ".progress.lock";
    descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(file);
    while (::flock(descriptor_, LOCK_EX) != 0) {
      if (errno != EINTR) fail(file);
      throw_if_interrupted();
    }
  }
  ~Lock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Lock() = default;  // delegated to, so that the destructor runs if the other constructor throws

  [[noreturn]] static void fail(const fs::path& file) {
    throw CannotGrade(tr("cannot lock {}: {}", printable(file.string()), std::strerror(errno)));
  }

  int descriptor_ = -1;
};

}  // namespace

fs::path progress_file(const fs::path& root) { return root / "progress.json"; }

Progress read_progress(const fs::path& root) {
  const fs::path file = progress_file(root);
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) return {};
  if (status.type() != fs::file_type::regular) unusable(file, tr("is no file that can be read"));
  if (!std::ifstream(file)) unusable(file, tr("cannot be read: {}", std::strerror(errno)));
  std::string schema;
  try {
    const Json document = Json::parse(text_of(file));
    schema = document.at("schema").get<std::string>();
    if (schema == progress_schema) return document.get<Progress>();
  } catch (const std::exception& problem) {
    unusable(file, tr("is damaged ({})", printable(problem.what())));
  }
  unusable(file, tr("has the schema '{}', and this Tilewise knows '{}': a newer one may "
                    "have written it",
                    printable(schema), progress_schema));
}

void change_progress(const fs::path& root, const std::function<void(Progress& progress)>& change) {
  const Lock lock(root);
  Progress progress = read_progress(root);
  change(progress);
  write_whole(progress_file(root), to_file(progress));
}

}  // namespace tilewise::grading
