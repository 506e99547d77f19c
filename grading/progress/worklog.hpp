/// \file
/// What a learner tried, and what it gave: worklog.jsonl at the course's root, beside
/// progress.json, has a line (schema tilewise/worklog/v1) for each grading of a stage. What was
/// graded last lies in the folder .worklog, so that the next line can tell what has changed since.
/// Both may be deleted at any time.
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

/// How a source differs from what was graded before it.
struct SourceChange {
  std::string file;                    ///< "matmul_shared.cu"
  std::size_t added = 0, removed = 0;  ///< lines
  std::string diff;  ///< the first of them, as diff -U0 has them; empty: the file was graded for
                     ///< the first time

  bool operator==(const SourceChange&) const = default;
};

/// A grading of a stage.
struct WorklogEntry {
  std::string time;   ///< "2026-11-21T07:30:00Z"
  std::string stage;  ///< "03_shared_memory"
  std::vector<SourceChange> changes;
  Status status = Status::error;
  int score = 0;
  int max_score = 0;
  std::string message;  ///< of the finding nearest the cause; empty where all passed
  std::string device;   ///< "gtx1080 (modelled)"
  std::map<std::string, std::vector<MeasuredRate>> rates;  ///< by test, of those that have any

  bool operator==(const WorklogEntry&) const = default;
};

struct Worklog {
  std::vector<WorklogEntry> entries;  ///< the oldest first
  std::size_t damaged = 0;            ///< lines that cannot be read
};

/// `root`/worklog.jsonl.
std::filesystem::path worklog_file(const std::filesystem::path& root);

/// What the file says; nothing where there is none. Lines that cannot be read are counted and left
/// out.
Worklog read_worklog(const std::filesystem::path& root);

/// Texts of sources by stage and file: "03_shared_memory/matmul_shared.cu".
using GradedSources = std::map<std::string, std::string>;

/// Adds a line for each stage of a result. Of a file that has grown long the older half is dropped.
/// @param sources  as they were when grading began
/// @throws CannotGrade where the log cannot be written
void add_to_worklog(const std::filesystem::path& root, const GradeResult& result,
                    const GradedSources& sources, std::time_t when);

/// A line for each grading, under a heading; of `stage` alone unless that is empty.
std::string worklog_table(const Worklog& log, const std::string& stage);

/// The same as one HTML page to hand in, with charts of the rates, drawn by tools/page.
/// @param titles  of the stages that have one, by id
std::string worklog_page(const Worklog& log, const std::string& stage,
                         const std::map<std::string, std::string>& titles);

}  // namespace tilewise::grading
