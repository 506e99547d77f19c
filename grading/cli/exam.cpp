#include "grading/cli/exam.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>

#include "common/base/catalogue.hpp"
#include "common/base/language.hpp"
#include "grading/builder/layout.hpp"
#include "grading/examiner/time_budget.hpp"

namespace tilewise::grading {
namespace {

// An exam takes seconds, or minutes if every test runs to its time limit. Beyond this the examiner
// hangs.
constexpr double exam_time_limit_s = 3600;

/// The end of the name of the test that detects races, in every stage. Other tests take a race for
/// some other fault.
constexpr std::string_view of_races = ".IsFreeOfRacesAndStrayAccesses";

/// Returns how many tests run side by side.
std::size_t most_at_once(const ExamConditions& conditions) {
  if (conditions.covered) return 1;  // because counts of lines go to one file
  // Each test also has blocks to spread over processors.
  constexpr unsigned enough = 4;
  return std::clamp(std::thread::hardware_concurrency(), 1U, enough);
}

/// One examiner at work.
struct Sitting {
  std::vector<RubricEntry> tests;
  bool is_alone = false;  ///< whether nothing may run beside it
  std::string running_test = {};
  bool any_event = false;
  std::optional<RunningCommand> examiner = {};
};

/// Reports results in the order of the rubric, but failures at once.
class Announcer {
 public:
  Announcer(const std::vector<RubricEntry>& tests, const ExamListener& listener)
      : tests_(tests), listener_(listener) {}

  void take(TestResult test, std::string printed) {
    // Hidden tests keep their order, because their numbers are their only names.
    const bool at_once = test.status == Status::failed && !test.hidden;
    const std::string name = test.name;
    ended_[name] = {std::move(test), std::move(printed)};
    if (at_once) tell(name);
    for (; next_ < tests_.size() && ended_.contains(tests_[next_].test); ++next_) {
      tell(tests_[next_].test);
    }
  }

  /// Reports the remaining results, when no more will come.
  void tell_the_rest() {
    for (const RubricEntry& entry : tests_) {
      if (ended_.contains(entry.test)) tell(entry.test);
    }
  }

 private:
  void tell(const std::string& name) {
    Ended& ended = ended_.at(name);
    if (std::exchange(ended.told, true)) return;
    if (listener_.test_ended) listener_.test_ended(ended.test, ended.printed);
  }

  struct Ended {
    TestResult test;
    std::string printed;
    bool told = false;
  };

  const std::vector<RubricEntry>& tests_;
  const ExamListener& listener_;
  std::map<std::string, Ended> ended_;
  std::size_t next_ = 0;  ///< index of the next test to report in order
};

class Exam {
 public:
  Exam(const ExamRequest& request, const ExamListener& listener)
      : request_(request), listener_(listener), announcer_(request.tests, listener) {
    for (const RubricEntry& entry : request.tests) waiting_.push_back({entry});
    if (waiting_.empty()) return;
    std::ranges::stable_partition(waiting_.begin() + 1, waiting_.end(), [](const auto& tests) {
      return tests.front().test.ends_with(of_races);
    });
    const auto alone = std::ranges::stable_partition(
        waiting_, [this](const auto& tests) { return !must_be_alone(tests); });
    if (alone.empty()) return;
    // They run in one examiner, so that the baselines, which take long to start, serve all of them.
    std::vector<RubricEntry> all;
    for (const auto& tests : alone) all.insert(all.end(), tests.begin(), tests.end());
    waiting_.erase(alone.begin(), alone.end());
    waiting_.push_back(std::move(all));
  }

  std::optional<EarlyEnd> run() {
    try {
      run_all();
    } catch (const Interrupted&) {
      announcer_.tell_the_rest();
      throw;
    }
    announcer_.tell_the_rest();
    return early_end_;
  }

 private:
  void run_all() {
    while (!waiting_.empty() || !sittings_.empty()) {
      if (!speed_can_be_judged_) speed_can_be_judged_ = request_.speed_can_be_judged();
      while (sittings_.size() < free_lanes() && !is_timing() && start_next()) {
      }
      look_after();
    }
  }

  /// Returns how many examiners may run at once. Preparing to judge speed keeps a processor busy,
  /// too, but the first results do not wait for it.
  std::size_t free_lanes() const {
    const std::size_t lanes = most_at_once(request_.conditions);
    return any_ended_ && !speed_can_be_judged_ && lanes > 1 ? lanes - 1 : lanes;
  }

  /// Whether tests must run alone. On a GPU anything beside a test of speed would disturb its
  /// times.
  bool must_be_alone(const std::vector<RubricEntry>& tests) const {
    return request_.conditions.backend == Backend::cuda &&
           tests.front().category == Category::performance;
  }

  bool is_timing() const { return std::ranges::any_of(sittings_, &Sitting::is_alone); }

  /// Starts the next examiner, and returns whether there was one that could be started.
  bool start_next() {
    const auto next = std::ranges::find_if(waiting_, [&](const auto& tests) {
      if (must_be_alone(tests) && !sittings_.empty()) return false;
      return speed_can_be_judged_ || tests.front().category != Category::performance;
    });
    if (next == waiting_.end()) return false;
    const bool is_alone = must_be_alone(*next);
    sittings_.push_back({.tests = std::move(*next), .is_alone = is_alone});
    waiting_.erase(next);
    Sitting& sitting = sittings_.back();
    sitting.examiner.emplace(examiner_for(sitting));
    return true;
  }

  void look_after() {
    for (auto sitting = sittings_.begin(); sitting != sittings_.end();) {
      if (!sitting->examiner->is_over()) {
        ++sitting;
        continue;
      }
      end(*sitting);
      sitting = sittings_.erase(sitting);
    }
  }

  void end(Sitting& sitting) {
    CommandResult result = sitting.examiner->wait();
    if (result.ending == CommandResult::Ending::not_started) {
      throw std::runtime_error(fmt::format("the examiner {} {}; build Tilewise again",
                                           examiner_of(request_.stage_id).string(),
                                           describe_ending(result)));
    }
    // No student's code runs before the first test, so Tilewise itself is at fault.
    if (!sitting.any_event) {
      throw std::runtime_error(fmt::format("the examiner {} before the first test: {}",
                                           describe_ending(result), result.output));
    }
    const bool all_ended = sitting.tests.empty();
    if (all_ended || early_end_) return;
    early_end_ = {std::move(result), sitting.running_test};
    waiting_.clear();
  }

  void deliver(std::string_view line, Sitting& sitting) {
    sitting.any_event = true;
    const auto event = nlohmann::ordered_json::parse(line);
    const std::string kind = event.at("event").get<std::string>();
    if (kind == "start") {
      sitting.running_test = event.at("name").get<std::string>();
      show_progress(sitting);
    } else if (kind == "end") {
      auto test = event.at("test").get<TestResult>();
      test.finding = nlohmann::json(event.at("finding")).get<Finding>();
      std::erase_if(sitting.tests,
                    [&](const RubricEntry& entry) { return entry.test == test.name; });
      sitting.running_test.clear();
      any_ended_ = true;
      // The time grows from test to test; other examiners are told of it once this one has ended.
      if (sitting.tests.empty()) {
        taken_.add(nlohmann::json(event.at("taken")).get<TimeTaken>());
      }
      announcer_.take(std::move(test), event.at("output").get<std::string>());
      for (const Sitting& other : sittings_) show_progress(other);
    } else {
      throw std::runtime_error(fmt::format("the examiner sent an unknown event '{}'", kind));
    }
  }

  void show_progress(const Sitting& sitting) const {
    if (!sitting.running_test.empty() && listener_.test_started) {
      listener_.test_started(sitting.running_test);
    }
  }

  Command examiner_for(Sitting& sitting) {
    const Modules& modules = request_.modules;
    const ExamConditions& conditions = request_.conditions;
    Command command;
    command.arguments = {examiner_of(request_.stage_id),
                         "--stage",
                         request_.stage_id,
                         "--module",
                         modules.fast,
                         "--backend",
                         std::string(to_string(conditions.backend)),
                         "--gpu",
                         conditions.gpu,
                         "--time-limit",
                         fmt::format("{}", conditions.time_limit_s),
                         "--taken",
                         nlohmann::json(taken_).dump(),
                         "--events-fd",
                         std::to_string(Command::event_descriptor)};
    const auto add = [&](const std::string& option, const std::string& value) {
      if (!value.empty()) command.arguments.insert(command.arguments.end(), {option, value});
    };
    for (const RubricEntry& entry : sitting.tests) add("--test", entry.test);
    add("--checked-module", modules.checked);
    add("--sandbox", conditions.bubblewrap);
    if (conditions.covered) command.arguments.emplace_back("--coverage");
    // Other tests run before this file is written.
    if (sitting.tests.front().category == Category::performance)
      add("--compiled", modules.compiled);
    for (const auto& [name, module] : modules.baselines) {
      add("--baseline", fmt::format("{}={}", name, module.string()));
    }
    // The seed is not an argument, because every process can read command lines.
    command.environment = {with_large_pages,
                           {"TILEWISE_SEED", std::to_string(conditions.seed)},
                           {"TILEWISE_ROOT", layout().root},
                           {core::language_variable, core::language()},
                           // With this, OpenBLAS' threads sleep after 2^4 cycles without work. By
                           // default they spin for 2^28, on the cores that the kernels run on.
                           {"OPENBLAS_THREAD_TIMEOUT", "4"}};
    // Tests that run side by side have one processor each.
    if (most_at_once(conditions) > 1) command.environment.emplace_back("OPENBLAS_NUM_THREADS", "1");
    if (!modules.working_folder.empty()) {
      command.working_directory = modules.working_folder;
      command.environment.emplace_back("HOME", modules.working_folder);
    }
    command.time_limit_s = exam_time_limit_s;
    command.on_event = [this, &sitting](std::string_view line) { deliver(line, sitting); };
    return command;
  }

  const ExamRequest& request_;
  const ExamListener& listener_;
  Announcer announcer_;
  std::vector<std::vector<RubricEntry>> waiting_;  ///< each item has the tests of one examiner
  std::list<Sitting> sittings_;                    ///< a list, because listeners refer to its items
  TimeTaken taken_;                                ///< time taken by tests that have ended
  bool any_ended_ = false;
  bool speed_can_be_judged_ = false;
  std::optional<EarlyEnd> early_end_;
};

}  // namespace

std::optional<EarlyEnd> run_exam(const ExamRequest& request, const ExamListener& listener) {
  return Exam(request, listener).run();
}

}  // namespace tilewise::grading
