#include "grading/cohort/cohort.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <optional>
#include <span>
#include <thread>

#include "common/gpu/gpu_profile.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/backend_choice.hpp"
#include "grading/cli/submission.hpp"
#include "grading/cohort/engines.hpp"
#include "grading/cohort/slurm.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/terminal.hpp"

namespace tilewise::grading {
namespace {

/// Ids of the stages that any submission was graded on.
std::vector<std::string> stages_of(const std::vector<GradebookRow>& rows) {
  std::vector<std::string> ids;
  for (const GradebookRow& row : rows) {
    if (!row.graded.result) continue;
    for (const StageResult& stage : row.graded.result->stages) {
      if (std::ranges::find(ids, stage.id) == ids.end()) ids.push_back(stage.id);
    }
  }
  return ids;
}

const StageResult* stage_of(const GradebookRow& row, const std::string& id) {
  if (!row.graded.result) return nullptr;
  const auto& stages = row.graded.result->stages;
  const auto found = std::ranges::find(stages, id, &StageResult::id);
  return found == stages.end() ? nullptr : &*found;
}

/// A name as part of a relative address.
std::string in_address(const std::string& name) {
  std::string address;
  for (const unsigned char c : name) {
    const bool plain = std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
    address += plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return address;
}

std::string points(int score, int max_score) { return fmt::format("{}/{}", score, max_score); }

std::string html_row(const GradebookRow& row, const std::vector<std::string>& stages) {
  std::string cells = fmt::format("<th scope=\"row\"><a href=\"feedback/{}.txt\">{}</a></th>",
                                  in_address(file_name_of(row.name)), as_markup(row.name));
  if (!row.graded.result) {
    return fmt::format("<tr>{}<td colspan=\"{}\">not graded: {}</td></tr>\n", cells,
                       stages.size() + 1, as_markup(first_line(row.graded.problem)));
  }
  cells +=
      fmt::format("<td>{}</td>", points(row.graded.result->score, row.graded.result->max_score));
  for (const std::string& id : stages) {
    const StageResult* stage = stage_of(row, id);
    cells += stage == nullptr ? "<td></td>"
                              : fmt::format("<td class=\"{}\">{}</td>", to_string(stage->status),
                                            points(stage->score, stage->max_score));
  }
  return fmt::format("<tr>{}</tr>\n", cells);
}

constexpr const char* style = R"(
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0 2rem; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { border-bottom: 1px solid #ccc; padding: .25rem .8rem; text-align: left; }
td { font-variant-numeric: tabular-nums; }
td.failed, td.error { background: #fde8e6; }
.scroll { overflow-x: auto; }
@media (prefers-color-scheme: dark) {
  body { background: #16181d; color: #e6e6e6; } a { color: #8ab4f8; }
  td.failed, td.error { background: #4a2320; } th, td { border-color: #444; }
}
)";

}  // namespace

double TestStatistics::passed_pct() const {
  const int judged = passed + failed;
  return judged == 0 ? 0 : 100.0 * passed / judged;
}

std::vector<TestStatistics> statistics_of(const std::vector<GradebookRow>& rows) {
  std::vector<TestStatistics> all;
  for (const GradebookRow& row : rows) {
    if (!row.graded.result) continue;
    for (const StageResult& stage : row.graded.result->stages) {
      for (const TestResult& test : stage.tests) {
        auto found = std::ranges::find_if(all, [&](const TestStatistics& known) {
          return known.stage == stage.id && known.test == test.name;
        });
        if (found == all.end()) {
          found = all.insert(all.end(), {stage.id, test.name, test.category, 0, 0, 0});
        }
        found->passed += test.status == Status::passed;
        found->failed += test.status == Status::failed;
        found->others += test.status != Status::passed && test.status != Status::failed;
      }
    }
  }
  return all;
}

std::string gradebook_csv(const std::vector<GradebookRow>& rows) {
  const std::vector<std::string> stages = stages_of(rows);
  std::string csv = "name,status,score,max_score";
  for (const std::string& id : stages) csv += "," + csv_cell(id);
  csv += ",problem\r\n";
  for (const GradebookRow& row : rows) {
    csv += csv_cell(row.name);
    const auto& result = row.graded.result;
    csv +=
        result ? fmt::format(",graded,{},{}", result->score, result->max_score) : ",not graded,,";
    for (const std::string& id : stages) {
      const StageResult* stage = stage_of(row, id);
      csv += stage == nullptr ? "," : fmt::format(",{}", stage->score);
    }
    csv += "," + csv_cell(first_line(row.graded.problem)) + "\r\n";
  }
  return csv;
}

std::string statistics_csv(const std::vector<GradebookRow>& rows) {
  std::string csv = "stage,test,category,passed,failed,others,passed_pct\r\n";
  for (const TestStatistics& test : statistics_of(rows)) {
    csv += fmt::format("{},{},{},{},{},{},{:.1f}\r\n", csv_cell(test.stage), csv_cell(test.test),
                       to_string(test.category), test.passed, test.failed, test.others,
                       test.passed_pct());
  }
  return csv;
}

std::string gradebook_html(const std::vector<GradebookRow>& rows, const std::string& title) {
  const std::vector<std::string> stages = stages_of(rows);
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>{0}</title><style>{1}</style></head><body>\n<h1>{0}</h1>\n",
      as_markup(title), style);
  page +=
      "<div class=\"scroll\"><table><caption>Submissions</caption><thead><tr>"
      "<th scope=\"col\">Name</th><th scope=\"col\">Points</th>";
  for (const std::string& id : stages)
    page += fmt::format("<th scope=\"col\">{}</th>", as_markup(id));
  page += "</tr></thead><tbody>\n";
  for (const GradebookRow& row : rows) page += html_row(row, stages);
  page +=
      "</tbody></table></div>\n<div class=\"scroll\"><table><caption>Tests</caption><thead><tr>"
      "<th scope=\"col\">Test</th><th scope=\"col\">Category</th><th scope=\"col\">Passed</th>"
      "<th scope=\"col\">Failed</th><th scope=\"col\">Others</th></tr></thead><tbody>\n";
  std::vector<TestStatistics> tests = statistics_of(rows);
  std::ranges::stable_sort(tests, {}, &TestStatistics::passed_pct);
  for (const TestStatistics& test : tests) {
    page += fmt::format(
        "<tr><th scope=\"row\">{}: {}</th><td>{}</td><td>{} ({:.0f}%)</td><td>{}</td><td>{}</td>"
        "</tr>\n",
        as_markup(test.stage), as_markup(test.test), to_string(test.category), test.passed,
        test.passed_pct(), test.failed, test.others);
  }
  return page + "</tbody></table></div>\n</body></html>\n";
}

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
  write_whole(ledger.folder() / "gradebook.html", gradebook_html(rows, "Gradebook"));
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
