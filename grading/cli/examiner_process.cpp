#include "grading/cli/examiner_process.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "grading/builder/layout.hpp"
#include "grading/report/json.hpp"
#include "grading/report/place_json.hpp"

namespace tilewise::grading {
namespace {

// An exam takes seconds, with every test at its time limit minutes: then the examiner hangs.
constexpr double exam_time_limit_s = 3600;

void deliver(std::string_view line, const ExamListener& listener) {
  const auto event = nlohmann::ordered_json::parse(line);
  const std::string kind = event.at("event").get<std::string>();
  if (kind == "start") {
    listener.test_started(event.at("name").get<std::string>());
  } else if (kind == "end") {
    auto test = event.at("test").get<TestResult>();
    test.place = event.at("place").get<FailurePlace>();
    listener.test_ended(test, event.at("output").get<std::string>());
  } else {
    throw std::runtime_error(fmt::format("the examiner sent an unknown event '{}'", kind));
  }
}

}  // namespace

CommandResult run_examiner(const std::string& stage_id, const std::vector<RubricEntry>& tests,
                           const Modules& modules, const ExamConditions& conditions,
                           const ExamListener& listener) {
  Command command;
  command.arguments = {tool("tilewise-examiner"),
                       "--stage",
                       stage_id,
                       "--module",
                       modules.fast,
                       "--backend",
                       std::string(to_string(conditions.backend)),
                       "--gpu",
                       conditions.gpu,
                       "--time-limit",
                       fmt::format("{}", conditions.time_limit_s),
                       "--events-fd",
                       std::to_string(Command::event_descriptor)};
  for (const RubricEntry& entry : tests) {
    command.arguments.insert(command.arguments.end(), {"--test", entry.test});
  }
  if (!modules.checked.empty()) {
    command.arguments.insert(command.arguments.end(), {"--checked-module", modules.checked});
  }
  if (!conditions.bubblewrap.empty()) {
    command.arguments.insert(command.arguments.end(), {"--sandbox", conditions.bubblewrap});
  }
  if (conditions.covered) command.arguments.emplace_back("--coverage");
  if (!modules.compiled.empty()) {
    command.arguments.insert(command.arguments.end(), {"--compiled", modules.compiled});
  }
  for (const auto& [name, module] : modules.baselines) {
    command.arguments.insert(command.arguments.end(),
                             {"--baseline", fmt::format("{}={}", name, module.string())});
  }
  // Command lines are there for every process to read.
  command.environment = {{"TILEWISE_SEED", std::to_string(conditions.seed)},
                         {"TILEWISE_ROOT", layout().root}};
  if (!modules.working_folder.empty()) {
    command.working_directory = modules.working_folder;
    command.environment.emplace_back("HOME", modules.working_folder);
  }
  command.time_limit_s = exam_time_limit_s;
  command.on_event = [&](std::string_view line) { deliver(line, listener); };
  CommandResult result = run_command(command);
  if (result.ending == CommandResult::Ending::not_started) {
    throw std::runtime_error(fmt::format("the examiner {} {}; build Tilewise again",
                                         command.arguments.front(), describe_ending(result)));
  }
  return result;
}

}  // namespace tilewise::grading
