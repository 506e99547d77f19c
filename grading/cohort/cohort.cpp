#include "grading/cohort/cohort.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <thread>

#include "grading/builder/layout.hpp"
#include "grading/cli/backend_choice.hpp"
#include "grading/cli/output_file.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/cohort/engine.hpp"
#include "grading/cohort/gradebook.hpp"
#include "grading/report/csv.hpp"
#include "grading/report/printable.hpp"
#include "grading/report/terminal.hpp"

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

CohortSettings settings_of(const CohortOptions& options) {
  CohortSettings settings;
  for (const StageInfo& stage : choose_stages(options.stages, stages())) {
    settings.stages.push_back(stage.id);
  }
  settings.backend = to_string(choose_backend(options.backend, options.gpu, "auto").backend);
  settings.gpu = options.gpu;
  settings.seed = options.seed;
  return settings;
}

void write_gradebook(const std::vector<CohortEntry>& entries, const Ledger& ledger) {
  std::vector<GradebookRow> rows;
  std::string timing = "name,seconds\r\n";
  for (const CohortEntry& entry : entries) {
    rows.push_back({entry.name, ledger.outcome(entry.name)});
    timing += fmt::format("{},{:.1f}\r\n", csv_cell(entry.name), ledger.seconds(entry.name));
  }
  write_whole(ledger.folder() / "gradebook.csv", gradebook_csv(rows));
  write_whole(ledger.folder() / "statistics.csv", statistics_csv(rows));
  write_whole(ledger.folder() / "gradebook.html", gradebook_html(rows, "Gradebook"));
  write_whole(ledger.folder() / "timing.csv", timing);
  const auto graded = std::ranges::count_if(
      rows, [](const GradebookRow& row) { return row.outcome.result.has_value(); });
  std::cout << fmt::format("{} submissions: {} graded, {} not. {}/gradebook.html\n", rows.size(),
                           graded, std::ssize(rows) - graded, printable(ledger.folder().string()));
}

}  // namespace

void grade_cohort(const CohortOptions& options) {
  const std::vector<CohortEntry> entries = find_entries(options.submissions);
  const Ledger ledger(options.out);
  lock(options.out);
  const CohortSettings settings = settle(options.out, settings_of(options));
  const int jobs =
      options.jobs > 0 ? options.jobs : std::max(1, int(std::thread::hardware_concurrency()));
  std::size_t count = static_cast<std::size_t>(std::ranges::count_if(
      entries, [&](const CohortEntry& entry) { return ledger.is_done(entry.name); }));
  if (count > 0) std::cout << fmt::format("{} of them are done already\n", count) << std::flush;

  TerminalReport terminal(std::cout, style_of_standard_output());
  grade_locally(entries, settings, ledger, jobs, [&](const CohortEntry& entry) {
    ++count;
    terminal.show_progress(fmt::format("{} of {}: {}", count, entries.size(), entry.name));
  });
  terminal.clear_progress();
  write_gradebook(entries, ledger);
}

}  // namespace tilewise::grading
