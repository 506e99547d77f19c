#include "grading/cohort/slurm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "grading/builder/command.hpp"
#include "grading/builder/programs.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

/// Slurm itself gives up earlier.
constexpr double answer_within_s = 120;

CommandResult ask(std::vector<std::string> arguments) {
  Command command;
  command.arguments = std::move(arguments);
  command.time_limit_s = answer_within_s;
  return run_command(command);
}

/// What it printed, or how it ended where it said nothing.
std::string words_of(const CommandResult& result) {
  if (result.output.empty()) return describe_ending(result);
  return printable(result.output.substr(0, result.output.find_last_not_of('\n') + 1));
}

bool read_number(std::string_view text, std::size_t& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size();
}

std::string first_word(const std::string& text) {
  std::string word;
  std::istringstream(text) >> word;
  return word;
}

}  // namespace

bool SlurmTask::is_over() const {
  static const char* const states[] = {"BOOT_FAIL", "CANCELLED", "COMPLETED",     "DEADLINE",
                                       "FAILED",    "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
                                       "REVOKED",   "TIMEOUT"};
  return std::ranges::find(states, state) != std::end(states);
}

void demand_slurm() {
  for (const char* program : {"sbatch", "squeue", "scontrol"}) {
    if (!find_program(program).empty()) continue;
    throw CannotGrade(fmt::format(
        "{} is not installed: run --engine slurm where jobs are submitted to the cluster, or use "
        "--engine local",
        program));
  }
}

std::size_t parse_largest_array(std::string_view config) {
  constexpr std::size_t slurms_default = 1001;
  std::istringstream lines{std::string(config)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, equals;
    std::size_t value = 0;
    if (words >> name >> equals >> value && name == "MaxArraySize") {
      // 0: no arrays at all, which sbatch will say in its own words.
      return std::max<std::size_t>(value, 1);
    }
  }
  return slurms_default;
}

std::size_t largest_array() {
  return parse_largest_array(ask({"scontrol", "show", "config"}).output);
}

std::string submit(const SlurmArray& array) {
  std::string tasks = fmt::format("0-{}", array.tasks - 1);
  if (array.at_a_time > 0) tasks += fmt::format("%{}", array.at_a_time);
  std::vector<std::string> arguments = {"sbatch",
                                        "--parsable",
                                        "--array=" + tasks,
                                        "--job-name=" + array.job_name,
                                        "--chdir=" + array.folder.string(),
                                        "--output=" + array.output};
  if (!array.after.empty()) {
    arguments.push_back(fmt::format("--dependency=afterany:{}", fmt::join(array.after, ":")));
  }
  arguments.push_back(array.script);
  const CommandResult result = ask(std::move(arguments));
  if (!result.succeeded()) {
    throw CannotGrade(fmt::format("Slurm does not take the jobs: {}", words_of(result)));
  }
  // "12", or "12;cluster", perhaps after words of the cluster's own.
  std::istringstream lines(result.output);
  std::string id;
  for (std::string line; std::getline(lines, line);) {
    const std::string candidate = line.substr(0, line.find(';'));
    if (std::size_t number = 0; read_number(candidate, number)) id = candidate;
  }
  return id;
}

std::vector<SlurmTask> parse_tasks(std::string_view lines) {
  std::vector<SlurmTask> tasks;
  std::istringstream stream{std::string(lines)};
  for (std::string line; std::getline(stream, line);) {
    std::vector<std::string> cells;
    std::istringstream rest(line);
    for (std::string cell; std::getline(rest, cell, '|');) cells.push_back(cell);
    std::size_t number = 0;
    if (cells.size() < 5 || !read_number(cells[2], number)) continue;
    tasks.push_back({cells[0], cells[1], number, first_word(cells[3]), cells[4]});
  }
  return tasks;
}

std::vector<SlurmTask> tasks_of(const std::vector<std::string>& job_names) {
  if (job_names.empty()) return {};
  const CommandResult result =
      ask({"squeue", "--noheader", "--array", "--states=all",
           fmt::format("--name={}", fmt::join(job_names, ",")), "--format=%j|%F|%K|%T|%r"});
  if (!result.succeeded()) {
    throw CannotGrade(fmt::format("Slurm does not tell how its jobs are: {}", words_of(result)));
  }
  return parse_tasks(result.output);
}

}  // namespace tilewise::grading
