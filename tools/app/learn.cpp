#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "grading/cli/submission.hpp"
#include "grading/course/stages.hpp"
#include "grading/guide/guide.hpp"
#include "grading/hints/hints.hpp"
#include "grading/progress/progress.hpp"
#include "grading/progress/worklog.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"
#include "grading/watch/watch.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {
namespace {

/// Prints a list for scripts: each line has a stage and its files.
void list_for_scripts() {
  for (const StageInfo& stage : stages()) {
    fmt::print("{:<22}{}\n", stage.id, fmt::join(stage.sources, ", "));
  }
}

void list_for_people() {
  const Progress progress = read_progress(core::project_root());
  const StageInfo& current = current_stage(progress, stages());
  for (const StageInfo& stage : stages()) {
    const StageProgress known = progress_of(progress, stage.id);
    fmt::print("{} {:<22}{:<24}{:<16}{}\n", stage.id == current.id ? '>' : ' ', stage.id,
               fmt::format("{}", fmt::join(stage.sources, ", ")),
               known.status ? status_word(known) : "",
               summary_of_handout(core::project_root(), stage.id).title);
  }
}

}  // namespace

void add_list(CLI::App* command, ExitStatus& status) {
  command->callback([&status] {
    isatty(STDOUT_FILENO) ? list_for_people() : list_for_scripts();
    status = ExitStatus::passed;
  });
}

void add_next(CLI::App* command, ExitStatus& status) {
  command->callback([&status] {
    const auto root = core::project_root();
    std::string text;
    change_progress(root, [&](Progress& progress) {
      const std::string from = current_stage(progress, stages()).id;
      text = go_on(root, stages(), progress);
      const std::string to = current_stage(progress, stages()).id;
      if (to != from) text += tr("  run   ./lab watch, or ./lab grade {}\n", to);
    });
    fmt::print("{}", wrapped(text, "", columns_of_standard_output()));
    status = ExitStatus::passed;
  });
}

void add_status(CLI::App* command, ExitStatus& status) {
  command->callback([&status] {
    fmt::print("{}", status_table(stages(), read_progress(core::project_root())));
    status = ExitStatus::passed;
  });
}

void add_hint(CLI::App* command, ExitStatus& status) {
  const auto word = std::make_shared<std::string>();
  command->add_option("STAGE", *word,
                      tr("03_shared_memory, 03 or 3; the current one if none is named"));
  command->callback([word, &status] {
    const auto root = core::project_root();
    Hint hint;
    change_progress(root, [&](Progress& progress) {
      const StageInfo stage = stage_meant(*word, progress);
      hint = next_hint(root, stage, read_hints(root, stage.id), progress.stages[stage.id]);
    });
    fmt::print("{}\n\n{}", printable(hint.title),
               wrapped(printable(hint.text), "  ", columns_of_standard_output()));
    status = ExitStatus::passed;
  });
}

namespace {

void reset(const std::string& word) {
  const StageInfo stage = choose_stages({word}, stages()).front();
  const auto root = core::project_root();
  read_progress(root);  // reports a damaged file before anything is changed
  for (const ResetFile& file : reset_stage(root, stage, std::time(nullptr))) {
    fmt::print("{}: {}\n", file.file,
               file.written ? tr("is the skeleton again") : tr("was the skeleton already"));
    if (!file.backup.empty()) fmt::print("{}", tr("  what it held is in {}\n", file.backup));
  }
  change_progress(root, [&](Progress& progress) {
    StageProgress anew;
    anew.best = std::move(progress.stages[stage.id].best);
    anew.predictions = std::move(progress.stages[stage.id].predictions);
    progress.stages[stage.id] = std::move(anew);
    progress.current = stage.id;
  });
}

}  // namespace

void add_reset(CLI::App* command, ExitStatus& status) {
  const auto word = std::make_shared<std::string>();
  command->add_option("STAGE", *word, tr("03_shared_memory, 03 or 3"))->required();
  command->callback([word, &status] {
    reset(*word);
    status = ExitStatus::passed;
  });
}

namespace {

void show_worklog(const std::string& word, const std::filesystem::path& page) {
  const std::string stage = word.empty() ? "" : choose_stages({word}, stages()).front().id;
  demand_writable(page);
  const auto root = core::project_root();
  const Worklog log = read_worklog(root);
  if (log.damaged > 0) {
    fmt::print(stderr, "tilewise: {}\n",
               tr("{} lines of {} cannot be read, and are left out", log.damaged,
                  printable(worklog_file(root).string())));
  }
  const auto is_asked_for = [&](const WorklogEntry& entry) {
    return stage.empty() || entry.stage == stage;
  };
  if (std::ranges::none_of(log.entries, is_asked_for)) {
    fmt::print("{}", tr("Nothing is in the worklog yet: each ./lab grade{} adds a line.\n",
                        stage.empty() ? "" : " " + stage));
    return;
  }
  fmt::print("{}", worklog_table(log, stage));
  if (page.empty()) return;
  std::map<std::string, std::string> titles;
  for (const StageInfo& one : stages()) {
    titles[one.id] = summary_of_handout(root, one.id).title;
  }
  write_output(page, worklog_page(log, stage, titles));
  fmt::print("{}", tr("{}: the worklog as a page\n", printable(page.string())));
}

}  // namespace

void add_worklog(CLI::App* command, ExitStatus& status) {
  const auto word = std::make_shared<std::string>();
  const auto page = std::make_shared<std::filesystem::path>();
  command->add_option("STAGE", *word, tr("03_shared_memory, 03 or 3; all if none is named"));
  command->add_option("--html", *page, tr("Write it as a page to hand in, too"))
      ->option_text("FILE");
  command->callback([word, page, &status] {
    show_worklog(*word, *page);
    status = ExitStatus::passed;
  });
}

void add_watch(CLI::App* command, ExitStatus& status) {
  const auto word = std::make_shared<std::string>();
  command->add_option("STAGE", *word,
                      tr("03_shared_memory, 03 or 3; the current one if none is named"));
  command->callback([word, &status] {
    watch(*word);
    status = ExitStatus::passed;
  });
}

}  // namespace tilewise::grading
