#include "grading/watch/grader_process.hpp"

#include <fmt/format.h>

#include "grading/builder/layout.hpp"
#include "grading/report/file_text.hpp"
#include "grading/report/for_students.hpp"
#include "grading/report/json.hpp"

namespace tilewise::grading {
namespace {

Command grade_command(const std::string& stage, const std::filesystem::path& result) {
  Command command;
  command.arguments = {tool("tilewise"), "grade", stage, "--json", result};
  return command;
}

}  // namespace

GraderProcess::GraderProcess(const std::string& stage)
    : command_(grade_command(stage, result_file())) {}

GraderProcess::~GraderProcess() {
  constexpr double patience_s = 5;
  command_.end(patience_s);
}

GradingOutcome GraderProcess::outcome() {
  const CommandResult ended = command_.wait();
  const bool graded = ended.ending == CommandResult::Ending::exited && ended.status < 2;
  if (!graded) {
    return {std::nullopt,
            ended.output.empty() ? "tilewise grade " + describe_ending(ended) : ended.output};
  }
  try {
    const auto document = nlohmann::ordered_json::parse(text_of(result_file()));
    return {without_hidden(document.get<GradeResult>()), ""};
  } catch (const std::exception& error) {
    return {std::nullopt, fmt::format("the result cannot be read: {}", error.what())};
  }
}

}  // namespace tilewise::grading
