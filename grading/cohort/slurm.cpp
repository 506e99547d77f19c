#include "grading/cohort/slurm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <random>
#include <span>
#include <sstream>
#include <system_error>

#include "common/process/command.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/submission.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

/// Slurm itself gives up before this.
constexpr double answer_within_s = 120;

Command question(std::vector<std::string> arguments) {
  Command command;
  command.arguments = std::move(arguments);
  command.time_limit_s = answer_within_s;
  return command;
}

CommandResult ask(std::vector<std::string> arguments) {
  return run_command(question(std::move(arguments)));
}

/// Returns what the command printed, or how it ended if it said nothing.
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

bool says(std::string_view text, std::string_view words) { return text.find(words) != text.npos; }

/// Whether sbatch failed because the controller was busy, or cannot be reached for a while.
bool passes_by_itself(const CommandResult& result) {
  if (result.ending == CommandResult::Ending::timed_out) return true;
  constexpr std::string_view causes[] = {"temporarily", "Unable to contact slurm controller",
                                         "Socket timed out", "Connection refused",
                                         "Slurm job queue full"};
  return std::ranges::any_of(causes,
                             [&](std::string_view cause) { return says(result.output, cause); });
}

/// Whether there are more tasks than the cluster takes: at once, per user, per QOS, or per array.
bool is_a_limit(std::string_view words) {
  constexpr std::string_view limits[] = {"violates accounting/QOS policy", "SubmitJob", "MaxJob",
                                         "Invalid job array specification"};
  return std::ranges::any_of(limits, [&](std::string_view limit) { return says(words, limit); });
}

/// Adds the tasks of some jobs, and asks in parts if they are too many for one answer.
void append_tasks_of(std::span<const std::string> job_names, std::vector<SlurmTask>& tasks) {
  if (job_names.empty()) return;
  constexpr std::size_t names_at_a_time = 1000;  // the kernel takes 128 KiB in one argument
  const auto in_halves = [&] {
    append_tasks_of(job_names.first(job_names.size() / 2), tasks);
    append_tasks_of(job_names.subspan(job_names.size() / 2), tasks);
  };
  if (job_names.size() > names_at_a_time) return in_halves();
  const CommandResult result =
      ask({"squeue", "--noheader", "--states=all", "--array",
           fmt::format("--name={}", fmt::join(job_names, ",")), "--format=%j|%F|%K|%T|%r"});
  if (!result.succeeded()) {
    throw CannotGrade(fmt::format("Slurm does not tell how its jobs are: {}", words_of(result)));
  }
  if (result.output_was_cut) {
    // Tasks that are missing from the list would be taken for lost.
    if (job_names.size() > 1) return in_halves();
    throw CannotGrade("Slurm's list of one array is longer than what is read of it");
  }
  const std::vector<SlurmTask> more = parse_tasks(result.output);
  tasks.insert(tasks.end(), more.begin(), more.end());
}

std::vector<std::string> sbatch(const SlurmArray& array) {
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
  return arguments;
}

}  // namespace

bool SlurmTask::is_over() const {
  static const char* const states[] = {"BOOT_FAIL", "CANCELLED", "COMPLETED",     "DEADLINE",
                                       "FAILED",    "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
                                       "REVOKED",   "TIMEOUT"};
  return std::ranges::find(states, state) != std::end(states);
}

void demand_slurm() {
  for (const char* program : {"sbatch", "squeue"}) {
    if (!find_program(program).empty()) continue;
    throw CannotGrade(fmt::format(
        "{} is not installed: run --engine slurm where jobs are submitted to the cluster, or use "
        "--engine local",
        program));
  }
}

SlurmAnswer submit(const SlurmArray& array) {
  RunningCommand command(question(sbatch(array)));
  while (!command.is_over()) {
    // After such words sbatch would retry for two minutes, and say nothing more.
    for (const std::string_view words : {"sleeping and retrying", "temporarily disabled"}) {
      if (!says(command.output(), words)) continue;
      SlurmAnswer answer{"", std::string(command.output()), true};
      command.end(1);
      return answer;
    }
  }
  const CommandResult result = command.wait();
  if (!result.succeeded()) {
    if (passes_by_itself(result)) return {"", words_of(result), true};
    if (is_a_limit(result.output)) return {"", words_of(result), false};
    throw CannotGrade(fmt::format("Slurm does not take the jobs: {}", words_of(result)));
  }
  // sbatch prints "12" or "12;cluster", perhaps after words of the cluster's own.
  std::istringstream lines(result.output);
  std::string id;
  for (std::string line; std::getline(lines, line);) {
    const std::string candidate = line.substr(0, line.find(';'));
    if (std::size_t number = 0; read_number(candidate, number)) id = candidate;
  }
  if (id.empty()) {
    throw CannotGrade(
        fmt::format("sbatch did not tell the number of its job: {}", words_of(result)));
  }
  return {id, ""};
}

std::vector<SlurmTask> parse_tasks(std::string_view lines) {
  std::vector<SlurmTask> tasks;
  std::istringstream stream{std::string(lines)};
  for (std::string line; std::getline(stream, line);) {
    std::vector<std::string> cells;
    std::istringstream rest(line);
    for (std::string cell; std::getline(rest, cell, '|');) cells.push_back(cell);
    if (cells.size() < 5) continue;
    if (cells[2] == "N/A") continue;  // it belongs to no array
    std::size_t number = 0;
    if (!read_number(cells[2], number)) {
      throw CannotGrade(fmt::format("Slurm lists a task of an array as '{}'", printable(cells[2])));
    }
    tasks.push_back({cells[0], cells[1], number, first_word(cells[3]), cells[4]});
  }
  return tasks;
}

std::vector<SlurmTask> tasks_of(const std::vector<std::string>& job_names) {
  std::vector<SlurmTask> tasks;
  append_tasks_of(job_names, tasks);
  return tasks;
}

namespace {

namespace fs = std::filesystem;

constexpr const char* extension = ".names";

fs::path slurm_folder(const fs::path& out) { return out / "slurm"; }

fs::path file_of(const std::string& id, const fs::path& out) {
  return slurm_folder(out) / (id + extension);
}

std::string new_id() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

}  // namespace

fs::path slurm_folder(const Ledger& ledger) { return slurm_folder(ledger.folder()); }

fs::path log_of(const SlurmBatch& batch, std::size_t task, const Ledger& ledger) {
  return slurm_folder(ledger) / fmt::format("{}-{}.log", batch.id, task);
}

SlurmBatch begin_batch(std::vector<std::string> names, const Ledger& ledger) {
  SlurmBatch batch{new_id(), std::move(names)};
  std::string text;
  // Names are separated by the only character that is in no file's name.
  for (const std::string& name : batch.names) text += name + '\0';
  demand_folder("--out", slurm_folder(ledger));
  write_whole(file_of(batch.id, ledger.folder()), text);
  return batch;
}

std::vector<SlurmBatch> find_batches(const Ledger& ledger) {
  std::vector<SlurmBatch> batches;
  std::error_code no_folder;
  for (const auto& item : fs::directory_iterator(slurm_folder(ledger), no_folder)) {
    if (item.path().extension() != extension) continue;
    batches.push_back(read_batch(item.path().stem(), ledger.folder()));
  }
  return batches;
}

SlurmBatch read_batch(const std::string& id, const fs::path& out) {
  std::ifstream file(file_of(id, out), std::ios::binary);
  if (!file) {
    throw CannotGrade(
        fmt::format("{} is not there: the run that this job belongs to was given up, or the folder "
                    "is on a file "
                    "system that this machine does not see",
                    printable(file_of(id, out).string())));
  }
  SlurmBatch batch{id, {}};
  for (std::string name; std::getline(file, name, '\0');) batch.names.push_back(name);
  return batch;
}

void remove_batch(const SlurmBatch& batch, const Ledger& ledger) {
  std::error_code ignored;  // if this fails, the next run reads the file again and removes it
  fs::remove(file_of(batch.id, ledger.folder()), ignored);
}

namespace {

/// Returns the text quoted as one word for a shell.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

bool names_a_gpu(const std::string& arguments) {
  return arguments.find("--gres") != arguments.npos || arguments.find("--gpus") != arguments.npos;
}

}  // namespace

std::string job_script(const SlurmBatch& batch, const Ledger& ledger, bool with_gpu,
                       const std::string& arguments) {
  // The shell would run the next line, which the user surely does not mean.
  if (arguments.find_first_of("\r\n") != arguments.npos) {
    throw CannotGrade("--sbatch: its arguments hold a line break; put them into one line");
  }
  std::string script = "#!/bin/sh\n";
  if (with_gpu && !names_a_gpu(arguments)) script += "#SBATCH --gres=gpu:1\n";
  // sbatch splits the arguments, including quotes, and reports those that it does not know.
  if (!arguments.empty()) script += fmt::format("#SBATCH {}\n", arguments);
  script += fmt::format("export TILEWISE_ROOT={}\n", quoted(layout().root));
  script += fmt::format(
      "exec {} cohort grade-one --out {} --batch {} --task \"$SLURM_ARRAY_TASK_ID\"\n",
      quoted(tool("tilewise")), quoted(std::filesystem::absolute(ledger.folder())), batch.id);
  return script;
}

}  // namespace tilewise::grading
