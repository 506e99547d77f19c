#include "grading/cohort/cohort.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <span>
#include <thread>

#include "grading/cli/backend_choice.hpp"
#include "grading/cli/rubric_check.hpp"
#include "grading/cli/submission.hpp"
#include "grading/cohort/class.hpp"
#include "grading/cohort/deadlines.hpp"
#include "grading/cohort/engines.hpp"
#include "grading/cohort/roster.hpp"
#include "grading/cohort/slurm.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/terminal.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Keeps two runs from writing to the same folder. The lock ends with this process.
void lock(const fs::path& out) {
  const int file = ::open((out / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0 || ::flock(file, LOCK_EX | LOCK_NB) != 0) {
    throw CannotGrade(
        fmt::format("another run writes to {}: wait until it ends", printable(out.string())));
  }
}

/// Ends a run early: writes the reports with what is known, then throws the error.
[[noreturn]] void give_up(const Class& of_all, const Ledger& ledger, const std::string& reason) {
  try {
    write_reports(of_all, ledger, {});
  } catch (const std::exception& error) {
    std::cout << fmt::format("No gradebook: {}\n", printable(error.what()));
  }
  throw CannotGrade(reason + "\nRun the same command again to grade the others.");
}

[[noreturn]] void throw_undone(const std::vector<Undone>& undone, std::size_t submissions) {
  constexpr std::size_t most_shown = 5;
  std::string text = fmt::format("not done yet: {} of {} submissions", undone.size(), submissions);
  for (const Undone& one : std::span(undone).first(std::min(undone.size(), most_shown))) {
    text += fmt::format("\n  {}: {}", one.name, one.reason);
  }
  if (undone.size() > most_shown) text += "\n  ...";
  throw CannotGrade(text + "\nRun the same command again to grade them.");
}

/// Forgets the results of submissions that were handed in anew, by comparing what is there now with
/// what was graded.
/// @return how many submissions have changed
long forget_changed(const std::vector<CohortEntry>& entries, const Ledger& ledger) {
  return std::ranges::count_if(entries, [&](const CohortEntry& entry) {
    if (!ledger.is_done(entry.name)) return false;
    const ScratchDirectory now;
    const std::string problem = take_sources(entry, now.path());
    const bool is_same = same_sources(now.path(), ledger.submission(entry.name)) &&
                         (problem.empty() || !ledger.read(entry.name).result);
    if (!is_same) ledger.forget(entry.name);
    return !is_same;
  });
}

/// @return the submissions that are not done
std::vector<Undone> grade_with_engine(const CohortOptions& options,
                                      const std::vector<CohortEntry>& entries,
                                      const CohortSettings& settings, const Ledger& ledger) {
  TerminalReport terminal(std::cout, style_of_standard_output());
  auto count = static_cast<std::size_t>(std::ranges::count_if(
      entries, [&](const CohortEntry& entry) { return ledger.is_done(entry.name); }));
  if (count > 0) std::cout << fmt::format("{} of them are done already\n", count) << std::flush;
  const auto done = [&](const std::string& name) {
    ++count;
    terminal.show_progress(fmt::format("{} of {}: {}", count, entries.size(), name));
  };
  std::vector<Undone> undone;
  if (options.engine == "slurm") {
    const SlurmListener listener{
        .done = done,
        .note =
            [&](const std::string& text) {
              terminal.clear_progress();
              std::cout << text << std::endl;
            },
        .progress = [&](const std::string& text) { terminal.show_progress(text); }};
    undone = grade_on_cluster(entries, settings, ledger, {options.jobs, options.sbatch}, listener);
  } else {
    demand_none_on_cluster(ledger);
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    grade_locally(entries, settings, ledger, options.jobs > 0 ? options.jobs : cores, done);
  }
  terminal.clear_progress();
  return undone;
}

}  // namespace

std::size_t grade_cohort(const CohortOptions& options) {
  if (!options.sbatch.empty() && options.engine != "slurm") {
    throw CannotGrade("--sbatch is of no use without --engine slurm");
  }
  demand_rubric(choose_stages(options.stages, stages()));
  Class of_all = class_of(options);
  const std::vector<CohortEntry>& entries = of_all.entries();
  const Ledger ledger(options.out);
  lock(options.out);
  of_all.settings = settle(options.out, of_all.settings);
  if (const long changed = forget_changed(entries, ledger); changed > 0) {
    std::cout << fmt::format("{} changed since they were graded\n", changed) << std::flush;
  }
  std::vector<Undone> undone;
  try {
    undone = grade_with_engine(options, entries, of_all.settings, ledger);
  } catch (const Interrupted& error) {
    give_up(of_all, ledger, fmt::format("stopped by {}", name_of(error)));
  } catch (const std::exception& error) {
    give_up(of_all, ledger, error.what());
  }
  const std::size_t not_graded = write_reports(of_all, ledger, undone);
  if (!undone.empty()) throw_undone(undone, entries.size());
  return not_graded;
}

namespace {

std::string lines_of(const CohortEntry& entry, const Roster& roster, bool has_roster,
                     bool& is_gradable) {
  const ScratchDirectory scratch;
  const std::string problem = take_sources(entry, scratch.path());
  std::string text = printable(entry.name);
  for (const std::size_t student : entry.students) {
    const Student& one = roster[student];
    if (has_roster) text += fmt::format(", on the roster {}", printable(one.name));
  }
  if (!entry.notes.empty()) {
    text += fmt::format(" ({})", printable(fmt::format("{}", fmt::join(entry.notes, "; "))));
  }
  text += "\n";
  if (entry.at.time) {
    text += fmt::format("  handed in {} ({})\n", in_words(*entry.at.time), entry.at.said_by);
  }
  is_gradable = problem.empty();
  if (!is_gradable) return text + fmt::format("  not to be graded: {}\n", problem);
  for (const fs::path& place : places_in(scratch.path())) {
    text += fmt::format("  labs/{}, {} bytes\n", place.string(),
                        fs::file_size(scratch.path() / "labs" / place));
  }
  return text;
}

}  // namespace

void show_intake(const fs::path& submissions, const fs::path& roster_file) {
  Intake intake = take_in(submissions);
  const Roster roster = settle_students(intake.entries, roster_file);
  std::vector<bool> has_handed_in(roster.students().size());
  std::size_t gradable = 0;
  for (const CohortEntry& entry : intake.entries) {
    bool is_gradable = false;
    std::cout << lines_of(entry, roster, !roster_file.empty(), is_gradable);
    gradable += is_gradable;
    for (const std::size_t student : entry.students) has_handed_in[student] = true;
  }
  for (std::size_t student = 0; student < has_handed_in.size(); ++student) {
    if (!has_handed_in[student]) {
      std::cout << fmt::format("{}: nothing handed in\n", printable(roster[student].name));
    }
  }
  std::cout << fmt::format("{} submissions: {} to be graded, {} not\n", intake.entries.size(),
                           gradable, intake.entries.size() - gradable);
}

void grade_one(const CohortTask& task) {
  const SlurmBatch batch = read_batch(task.batch, task.out);
  const std::optional<CohortSettings> settings = find_settings(task.out);
  if (!settings || task.number >= batch.names.size()) {
    throw CannotGrade(fmt::format("{} has no task {} of batch {}", printable(task.out.string()),
                                  task.number, printable(task.batch)));
  }
  const std::string& name = batch.names[task.number];
  const Ledger ledger(task.out);
  // Slurm starts a job again if a node fails, so it may be done already.
  if (ledger.is_done(name)) return;
  // This throws on a machine that cannot grade, which is not the submission's fault.
  choose_backend({.backend = settings->backend, .gpu = settings->gpu}, GpuUser::others);
  Grading(name, *settings, ledger).enter();
}

}  // namespace tilewise::grading
