#include "grading/progress/worklog.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>

#include "common/base/language.hpp"
#include "common/process/command.hpp"
#include "grading/page/render.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/results/causes.hpp"
#include "grading/results/files.hpp"
#include "grading/results/for_students.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* schema = "tilewise/worklog/v1";

/// Enough for some thousand gradings.
constexpr std::uintmax_t longest_log_bytes = 1024 * 1024;
constexpr std::size_t longest_diff_lines = 24;
constexpr std::size_t longest_diff_bytes = 1600;

fs::path snapshot_of(const fs::path& root, const std::string& source) {
  return root / ".worklog" / source;
}

/// Compares two files by `diff`. The two header lines with the files' names are left out.
SourceChange compared(const fs::path& before, const fs::path& now) {
  SourceChange change;
  Command diff;
  diff.arguments = {"diff", "-U0", "--", before, now};
  const CommandResult told = run_command(std::move(diff));
  std::istringstream lines(told.output);
  std::string line;
  for (int names = 2; names > 0; --names) std::getline(lines, line);
  for (std::size_t kept = 0; std::getline(lines, line);) {
    change.added += line.starts_with("+");
    change.removed += line.starts_with("-");
    if (++kept <= longest_diff_lines && change.diff.size() + line.size() < longest_diff_bytes) {
      change.diff += printable(line) + "\n";
    }
  }
  return change;
}

/// Returns how the sources of a stage have changed since the last grading, and keeps them for the
/// next one.
/// @throws CannotGrade, fs::filesystem_error
std::vector<SourceChange> changes_of(const fs::path& root, const std::string& stage,
                                     const GradedSources& sources) {
  std::vector<SourceChange> changes;
  for (const auto& [source, text] : sources) {
    if (!source.starts_with(stage + "/")) continue;
    const fs::path before = snapshot_of(root, source);
    const bool known = fs::exists(before);
    if (known && text_of(before) == text) continue;
    SourceChange change;
    if (known) {
      const fs::path now = before.string() + ".new";
      write_whole(now, text);
      change = compared(before, now);
      fs::rename(now, before);
    } else {
      fs::create_directories(before.parent_path());
      write_whole(before, text);
      change.added = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    }
    change.file = source.substr(stage.size() + 1);
    changes.push_back(std::move(change));
  }
  return changes;
}

Json to_document(const WorklogEntry& entry) {
  Json changes = Json::array(), rates = Json::object();
  for (const SourceChange& change : entry.changes) {
    changes.push_back({{"file", change.file},
                       {"added", change.added},
                       {"removed", change.removed},
                       {"diff", change.diff}});
  }
  for (const auto& [test, measured] : entry.rates) {
    for (const MeasuredRate& rate : measured) rates[test][rate.measurement] = rate.value;
  }
  return {{"schema", schema},
          {"time", entry.time},
          {"stage", entry.stage},
          {"changes", changes},
          {"status", to_string(entry.status)},
          {"score", entry.score},
          {"max_score", entry.max_score},
          {"message", entry.message},
          {"device", entry.device},
          {"rates", rates}};
}

/// @throws nlohmann::json::exception, std::invalid_argument if the document is no entry
WorklogEntry entry_of(const Json& document) {
  if (document.at("schema") != schema) throw std::invalid_argument("another schema");
  WorklogEntry entry;
  document.at("time").get_to(entry.time);
  document.at("stage").get_to(entry.stage);
  for (const Json& change : document.at("changes")) {
    entry.changes.push_back(
        {change.at("file"), change.at("added"), change.at("removed"), change.at("diff")});
  }
  entry.status = status_from_string(document.at("status").get<std::string>());
  document.at("score").get_to(entry.score);
  document.at("max_score").get_to(entry.max_score);
  document.at("message").get_to(entry.message);
  document.at("device").get_to(entry.device);
  for (const auto& [test, measured] : document.at("rates").items()) {
    for (const auto& [name, value] : measured.items()) {
      entry.rates[test].push_back({name, value.get<double>()});
    }
  }
  return entry;
}

/// Drops the older half of the lines if the file has grown long.
void shorten(const fs::path& file) {
  std::error_code error;
  if (fs::file_size(file, error) < longest_log_bytes || error) return;
  const std::string text = text_of(file);
  const std::size_t cut = text.find('\n', text.size() / 2);
  if (cut != std::string::npos) write_whole(file, text.substr(cut + 1));
}

std::string change_in_words(const WorklogEntry& entry) {
  std::vector<std::string> words;
  for (const SourceChange& change : entry.changes) {
    words.push_back(entry.changes.size() > 1
                        ? fmt::format("{} +{} -{}", change.file, change.added, change.removed)
                        : fmt::format("+{} -{}", change.added, change.removed));
  }
  return words.empty() ? tr("no change") : fmt::format("{}", fmt::join(words, ", "));
}

/// The highest rate of all tests.
std::string rate_in_words(const WorklogEntry& entry) {
  const MeasuredRate* best = nullptr;
  for (const auto& [test, measured] : entry.rates) {
    for (const MeasuredRate& rate : measured) {
      if (best == nullptr || rate.value > best->value) best = &rate;
    }
  }
  if (best == nullptr) return "";
  return fmt::format("{} {}", significant(best->value), unit_of(best->measurement));
}

/// "2026-11-21T07:30:00Z" as "2026-11-21 07:30".
std::string minute_of(const std::string& time) {
  std::string shown = time.substr(0, std::string_view("2026-11-21T07:30").size());
  std::ranges::replace(shown, 'T', ' ');
  return shown;
}

}  // namespace

fs::path worklog_file(const fs::path& root) { return root / "worklog.jsonl"; }

Worklog read_worklog(const fs::path& root) {
  Worklog log;
  std::istringstream lines(text_of(worklog_file(root)));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    try {
      log.entries.push_back(entry_of(Json::parse(line)));
    } catch (const std::exception&) {
      ++log.damaged;
    }
  }
  return log;
}

void add_to_worklog(const fs::path& root, const GradeResult& result, const GradedSources& sources,
                    std::time_t when) {
  const GradeResult shown = without_hidden(result);
  std::string lines;
  for (const StageResult& stage : shown.stages) {
    WorklogEntry entry{.time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(when)),
                       .stage = stage.id,
                       .changes = {},
                       .status = stage.status,
                       .score = stage.score,
                       .max_score = stage.max_score,
                       .message = {},
                       .device = result.device,
                       .rates = {}};
    try {
      entry.changes = changes_of(root, stage.id, sources);
    } catch (const fs::filesystem_error& error) {
      throw CannotGrade(error.what());
    }
    if (const TestResult* test = stage.status == Status::passed ? nullptr : nearest_cause(stage)) {
      entry.message = first_line(test->finding.message);
    }
    for (const TestResult& test : stage.tests) {
      if (auto rates = rates_of(test); !rates.empty()) entry.rates[test.name] = std::move(rates);
    }
    lines += to_line(to_document(entry)) + "\n";
  }
  const fs::path file = worklog_file(root);
  shorten(file);
  append_output(file, lines);
}

std::string worklog_table(const Worklog& log, const std::string& stage) {
  const auto row = [](const auto&... cells) {
    std::string line = fmt::format("{:<16}  {:<20}  {:<12}  {:<12}  {:>6}  {:>14}", cells...);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  };
  std::string table =
      row(tr("Time (UTC)"), tr("Stage"), tr("Changed"), tr("Verdict"), tr("Points"), tr("Rate"));
  for (const WorklogEntry& entry : log.entries) {
    if (!stage.empty() && entry.stage != stage) continue;
    table += row(minute_of(entry.time), printable(entry.stage), change_in_words(entry),
                 core::in_language(to_string(entry.status)),
                 fmt::format("{}/{}", entry.score, entry.max_score), rate_in_words(entry));
  }
  return table;
}

std::string worklog_page(const Worklog& log, const std::string& stage,
                         const std::map<std::string, std::string>& titles) {
  Json document = {{"damaged", log.damaged}, {"stages", Json::array()}};
  for (const WorklogEntry& entry : log.entries) {
    if (!stage.empty() && entry.stage != stage) continue;
    Json& stages = document["stages"];
    auto known =
        std::ranges::find_if(stages, [&](const Json& one) { return one["id"] == entry.stage; });
    if (known == stages.end()) {
      const auto title = titles.find(entry.stage);
      stages.push_back({{"id", entry.stage},
                        {"title", title == titles.end() ? entry.stage : title->second},
                        {"entries", Json::array()}});
      known = std::prev(stages.end());
    }
    Json line = to_document(entry);
    line["time"] = minute_of(entry.time);
    line["status"] = core::in_language(to_string(entry.status));
    (*known)["entries"].push_back(std::move(line));
  }
  return render("worklog", std::move(document));
}

}  // namespace tilewise::grading
