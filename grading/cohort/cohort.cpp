#include "grading/cohort/cohort.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <span>
#include <thread>

#include "common/gpu/gpu_profile.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/backend_choice.hpp"
#include "grading/cli/submission.hpp"
#include "grading/cohort/engines.hpp"
#include "grading/cohort/gradebook.hpp"
#include "grading/cohort/slurm.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/terminal.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Keeps two runs from writing to the same folder; ends with this process.
void lock(const fs::path& out) {
  const int file = ::open((out / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0 || ::flock(file, LOCK_EX | LOCK_NB) != 0) {
    throw CannotGrade(
        fmt::format("another run writes to {}: wait until it ends", printable(out.string())));
  }
}

/// Where nothing else is asked for, that of the run that goes on.
std::string backend_of(const CohortOptions& options) {
  const std::optional<CohortSettings> earlier = find_settings(options.out);
  Run run = options;
  if (options.backend == "auto" && earlier) run.backend = earlier->backend;
  if (options.engine == "slurm" && run.backend == "cuda") {
    // The nodes have GPUs where this machine may have none; each job looks for its own.
    core::gpu_profile(run.gpu);
    return run.backend;
  }
  return std::string(to_string(choose_backend(run, GpuUser::others).backend));
}

CohortSettings settings_of(const CohortOptions& options) {
  CohortSettings settings;
  for (const StageInfo& stage : choose_stages(options.stages, stages())) {
    settings.stages.push_back(stage.id);
  }
  settings.backend = backend_of(options);
  settings.gpu = options.gpu;
  settings.seed = options.seed;
  return settings;
}

/// Why a submission without a result has none.
std::string reason_of(const std::string& name, const std::vector<Undone>& undone) {
  const auto found = std::ranges::find(undone, name, &Undone::name);
  return found == undone.end() ? "its turn has not come" : found->reason;
}

/// What came of a submission, as far as that is known.
GradedSubmission graded_of(const std::string& name, const Ledger& ledger,
                           const std::vector<Undone>& undone) {
  if (!ledger.is_done(name)) return {{}, "not done yet: " + reason_of(name, undone)};
  try {
    return ledger.read(name);
  } catch (const CannotGrade& error) {
    return {{}, error.what()};
  }
}

/// @param undone  what is known of submissions without a result
void write_gradebook(const std::vector<CohortEntry>& entries, const Ledger& ledger,
                     const std::vector<Undone>& undone) {
  std::vector<GradebookRow> rows;
  std::string timing = "name,seconds\r\n";
  for (const CohortEntry& entry : entries) {
    rows.push_back({entry.name, graded_of(entry.name, ledger, undone)});
    if (!ledger.is_done(entry.name)) continue;
    timing += fmt::format("{},{:.1f}\r\n", csv_cell(entry.name), ledger.seconds(entry.name));
  }
  write_whole(ledger.folder() / "gradebook.csv", gradebook_csv(rows));
  write_whole(ledger.folder() / "statistics.csv", statistics_csv(rows));
  write_whole(ledger.folder() / "gradebook.html",
              gradebook_html(rows, "Gradebook", in_words(*find_settings(ledger.folder()))));
  write_whole(ledger.folder() / "timing.csv", timing);
  const auto graded = std::ranges::count_if(
      rows, [](const GradebookRow& row) { return row.graded.result.has_value(); });
  std::cout << fmt::format("{} submissions: {} graded, {} not. {}/gradebook.html\n", rows.size(),
                           graded, std::ssize(rows) - graded, printable(ledger.folder().string()))
            << std::flush;
}

/// Where a run ends before its time: writes down what is known, and goes on with the error.
[[noreturn]] void give_up(const std::vector<CohortEntry>& entries, const Ledger& ledger,
                          const std::string& reason) {
  try {
    write_gradebook(entries, ledger, {});
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

/// What was handed in anew counts: what is there of it now is held against what was graded.
/// @return of how many submissions
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

/// @return what is not done
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

void grade_cohort(const CohortOptions& options) {
  if (!options.sbatch.empty() && options.engine != "slurm") {
    throw CannotGrade("--sbatch is of no use without --engine slurm");
  }
  const Intake intake = take_in(options.submissions);
  const std::vector<CohortEntry>& entries = intake.entries;
  const Ledger ledger(options.out);
  lock(options.out);
  const CohortSettings settings = settle(options.out, settings_of(options));
  if (const long changed = forget_changed(entries, ledger); changed > 0) {
    std::cout << fmt::format("{} changed since they were graded\n", changed) << std::flush;
  }
  std::vector<Undone> undone;
  try {
    undone = grade_with_engine(options, entries, settings, ledger);
  } catch (const Interrupted& error) {
    give_up(entries, ledger, fmt::format("stopped by {}", name_of(error)));
  } catch (const std::exception& error) {
    give_up(entries, ledger, error.what());
  }
  write_gradebook(entries, ledger, undone);
  if (!undone.empty()) throw_undone(undone, entries.size());
}

void show_intake(const fs::path& submissions) { std::cout << in_words(take_in(submissions)); }

void grade_one(const CohortTask& task) {
  const SlurmBatch batch = read_batch(task.batch, task.out);
  const std::optional<CohortSettings> settings = find_settings(task.out);
  if (!settings || task.number >= batch.names.size()) {
    throw CannotGrade(fmt::format("{} has no task {} of batch {}", printable(task.out.string()),
                                  task.number, printable(task.batch)));
  }
  const std::string& name = batch.names[task.number];
  const Ledger ledger(task.out);
  // Slurm starts a job again where a node fails.
  if (ledger.is_done(name)) return;
  // A machine that cannot grade is not the submission's fault.
  choose_backend({.backend = settings->backend, .gpu = settings->gpu}, GpuUser::others);
  Grading(name, *settings, ledger).enter();
}

}  // namespace tilewise::grading
