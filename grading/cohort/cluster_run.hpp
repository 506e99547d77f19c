#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grading/cohort/engines.hpp"
#include "grading/cohort/slurm.hpp"

namespace tilewise::grading {

/// The most tasks of an array, so that squeue's list of one can be read completely; it has one line
/// of some hundred bytes per task. If the cluster takes no such arrays, smaller ones are tried.
inline constexpr std::size_t most_tasks = 1000;

/// Has a cohort graded by a cluster, which takes some of the submissions at a time.
class ClusterRun {
 public:
  ClusterRun(const std::vector<CohortEntry>& entries, const CohortSettings& settings,
             const Ledger& ledger, const SlurmOptions& options, const SlurmListener& listener)
      : entries_(entries),
        settings_(settings),
        ledger_(ledger),
        options_(options),
        listener_(listener) {}

  /// Finds what earlier runs submitted and Slurm still has.
  void join();

  /// Submits what the cluster takes, and the rest as it takes more, and gathers the results.
  std::vector<Undone> run();

  /// Tells the user what is left with Slurm, if the run ends early.
  void take_leave() const;

 private:
  using Clock = std::chrono::steady_clock;

  /// A submission that Slurm has.
  struct Waiting {
    std::size_t batch;  ///< index in batches_
    std::size_t task;
    bool has_begun = false;  ///< as far as Slurm has reported
    std::optional<Clock::time_point> missed_since = {};
  };

  bool all_submitted() const { return next_ == entries_.size() && prepared_.empty(); }
  std::size_t not_submitted() const { return entries_.size() - next_ + prepared_.size(); }
  void prepare_some();
  void submit_what_is_taken();
  bool submit_batch(std::vector<std::string> names);
  SlurmAnswer submit_array(const SlurmBatch& batch);
  void wait_for_room(const SlurmAnswer& answer);
  std::vector<SlurmBatch> batches_under_way() const;
  std::vector<std::string> arrays_under_way() const;
  void take_in();
  std::optional<std::vector<SlurmTask>> ask();
  void look_for_lost(const std::vector<SlurmTask>& tasks);
  std::string why_lost(Waiting& waiting, const SlurmTask* task) const;
  void show_progress(const std::vector<SlurmTask>& tasks) const;

  const std::vector<CohortEntry>& entries_;
  const CohortSettings& settings_;
  const Ledger& ledger_;
  const SlurmOptions& options_;
  const SlurmListener& listener_;
  std::size_t next_ = 0;                 ///< index in entries_ of the next one to prepare
  std::deque<std::string> prepared_;     ///< prepared, but not submitted yet
  std::size_t next_tasks_ = most_tasks;  ///< number of tasks in the next array
  Clock::time_point next_submission_ = Clock::now();
  bool said_to_be_full_ = false;
  std::vector<SlurmBatch> batches_;
  std::vector<std::string> arrays_;  ///< the batches' ids at Slurm, in the same order
  std::map<std::string, Waiting> waiting_;
  std::vector<Undone> undone_;
  Clock::time_point heard_ = Clock::now();
};

}  // namespace tilewise::grading
