/// \file
/// The log of what a learner tried and how it turned out. worklog.jsonl lies at the course's root,
/// beside progress.json, and has a line (schema tilewise/worklog/v1) for each grading of a stage.
/// The folder .worklog keeps the sources that were graded last, so that the next line can say what
/// has changed since. Both may be deleted at any time.
#pragma once

#include <cstddef>
#include <ctime>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grading/results/rates.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {

/// How a source differs from the version that was graded before.
struct SourceChange {
  std::string file;                    ///< "matmul_shared.cu"
  std::size_t added = 0, removed = 0;  ///< lines
  std::string diff;  ///< the first changed lines, as printed by diff -U0; empty if the file was
                     ///< graded for the first time

  bool operator==(const SourceChange&) const = default;
};

/// One grading of a stage.
struct WorklogEntry {
  std::string time;   ///< "2026-11-21T07:30:00Z"
  std::string stage;  ///< "03_shared_memory"
  std::vector<SourceChange> changes;
  Status status = Status::error;
  int score = 0;
  int max_score = 0;
  std::string message;  ///< of the finding nearest the cause; empty if all tests passed
  std::string device;   ///< "gtx1080 (modelled)"
  /// The rates of each test that has any.
  std::map<std::string, std::vector<MeasuredRate>> rates;

  bool operator==(const WorklogEntry&) const = default;
};

struct Worklog {
  std::vector<WorklogEntry> entries;  ///< oldest first
  std::size_t damaged = 0;            ///< lines that cannot be read
};

/// `root`/worklog.jsonl.
std::filesystem::path worklog_file(const std::filesystem::path& root);

/// Reads the file; the log is empty if there is none. Lines that cannot be read are counted and
/// left out.
Worklog read_worklog(const std::filesystem::path& root);

/// Texts of sources by stage and file: "03_shared_memory/matmul_shared.cu".
using GradedSources = std::map<std::string, std::string>;

/// Adds a line for each stage of a result. The older half of a file that has grown long is dropped.
/// @param sources  as they were when grading began
/// @throws CannotGrade if the log cannot be written
void add_to_worklog(const std::filesystem::path& root, const GradeResult& result,
                    const GradedSources& sources, std::time_t when);

/// A table with a line for each grading: of `stage` alone, or of all stages if that is empty.
std::string worklog_table(const Worklog& log, const std::string& stage);

/// The same log as an HTML page to hand in, with charts of the rates, drawn by tools/page.
/// @param titles  by stage id; a stage without one is shown under its id
std::string worklog_page(const Worklog& log, const std::string& stage,
                         const std::map<std::string, std::string>& titles);

}  // namespace tilewise::grading
