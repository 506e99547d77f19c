#include "grading/cohort/slurm_engine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

#include "grading/builder/command.hpp"
#include "grading/cli/output_file.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/cohort/grading.hpp"
#include "grading/cohort/slurm.hpp"
#include "grading/cohort/slurm_batch.hpp"
#include "grading/cohort/slurm_script.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// How long Slurm may be silent, and a file that was written on a node unseen here. A controller
/// that is started anew takes minutes, a network's file system up to one.
constexpr Clock::duration patience = 2min;

/// Ends early for a signal.
void wait_a_moment() {
  ::poll(nullptr, 0, 500);
  throw_if_interrupted();
}

std::string last_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string last;
  for (std::string line; std::getline(stream, line);) last = line;
  return printable(last);
}

std::vector<std::string> job_names(const std::vector<SlurmBatch>& batches) {
  std::vector<std::string> names;
  for (const SlurmBatch& batch : batches) names.push_back(batch.job_name());
  return names;
}

bool is_of(const SlurmTask& task, const SlurmBatch& batch) {
  return task.job_name == batch.job_name() && task.number < batch.names.size();
}

/// When to ask Slurm: more and more seldom, since it has others to serve.
class Questions {
 public:
  bool is_due() {
    if (Clock::now() < next_) return false;
    next_ = Clock::now() + pause_;
    pause_ = std::min<Clock::duration>(pause_ * 3 / 2, 30s);
    return true;
  }

 private:
  Clock::duration pause_ = 1s;
  Clock::time_point next_ = Clock::now() + pause_;
};

class ClusterRun {
 public:
  ClusterRun(const CohortSettings& settings, const Ledger& ledger, const SlurmOptions& options,
             const SlurmListener& listener)
      : settings_(settings), ledger_(ledger), options_(options), listener_(listener) {}

  /// Finds what earlier runs submitted and Slurm still has.
  void join();

  void submit(const std::vector<CohortEntry>& entries);

  std::vector<Undone> gather();

  /// Said where the user does not wait for the end.
  void take_leave() const;

 private:
  /// A submission that Slurm has.
  struct Waiting {
    std::size_t batch;  ///< of batches_
    std::size_t task;
    bool has_begun = false;  ///< as far as Slurm told
    std::optional<Clock::time_point> missed_since = {};
  };

  void submit_batch(std::vector<std::string> names);
  void take_in();
  std::optional<std::vector<SlurmTask>> ask();
  void look_for_lost(const std::vector<SlurmTask>& tasks);
  std::string why_lost(Waiting& waiting, const SlurmTask* task) const;
  void show_progress(const std::vector<SlurmTask>& tasks) const;

  const CohortSettings& settings_;
  const Ledger& ledger_;
  const SlurmOptions& options_;
  const SlurmListener& listener_;
  std::vector<SlurmBatch> batches_;
  std::vector<std::string> arrays_;  ///< their ids at Slurm
  std::map<std::string, Waiting> waiting_;
  std::vector<Undone> undone_;
  Clock::time_point heard_ = Clock::now();
};

void ClusterRun::join() {
  const std::vector<SlurmBatch> found = find_batches(ledger_);
  const std::vector<SlurmTask> tasks = tasks_of(job_names(found));
  for (const SlurmBatch& batch : found) {
    const std::size_t before = waiting_.size();
    for (const SlurmTask& task : tasks) {
      if (!is_of(task, batch) || task.is_over()) continue;
      const std::string& name = batch.names[task.number];
      if (ledger_.is_done(name)) continue;
      waiting_[name] = {batches_.size(), task.number};
      if (std::ranges::find(arrays_, task.array_id) == arrays_.end()) {
        arrays_.push_back(task.array_id);
      }
    }
    if (waiting_.size() == before) {
      remove_batch(batch, ledger_);
    } else {
      batches_.push_back(batch);
    }
  }
  if (!waiting_.empty()) {
    listener_.note(fmt::format("{} of them are with Slurm since an earlier run", waiting_.size()));
  }
}

void ClusterRun::submit(const std::vector<CohortEntry>& entries) {
  std::vector<std::string> names;
  for (const CohortEntry& entry : entries) {
    throw_if_interrupted();
    if (ledger_.is_done(entry.name) || waiting_.contains(entry.name)) continue;
    if (prepare(entry, ledger_)) {
      names.push_back(entry.name);
    } else {
      listener_.done(entry.name);
    }
  }
  if (names.empty()) return;
  const std::size_t most = largest_array();
  for (std::size_t first = 0; first < names.size(); first += most) {
    const std::size_t count = std::min(most, names.size() - first);
    const auto begin = names.begin() + static_cast<std::ptrdiff_t>(first);
    submit_batch({begin, begin + static_cast<std::ptrdiff_t>(count)});
  }
}

void ClusterRun::submit_batch(std::vector<std::string> names) {
  const bool with_gpu = settings_.backend == "cuda";
  const SlurmBatch batch = begin_batch(std::move(names), ledger_);
  const fs::path folder = fs::absolute(slurm_folder(ledger_));
  SlurmArray array{.job_name = batch.job_name(),
                   .script = folder / (batch.id + ".sh"),
                   .folder = folder,
                   .output = batch.id + "-%a.log",
                   .tasks = batch.names.size(),
                   .at_a_time = options_.jobs,
                   .after = {}};
  // An array knows of no limit but its own.
  if (options_.jobs > 0) array.after = arrays_;
  try {
    write_whole(array.script, job_script(batch, ledger_, with_gpu, options_.arguments));
    arrays_.push_back(grading::submit(array));
  } catch (const CannotGrade&) {
    remove_batch(batch, ledger_);
    throw;
  }
  listener_.note(
      fmt::format("Slurm's job array {}: {} submissions", arrays_.back(), batch.names.size()));
  for (std::size_t task = 0; task < batch.names.size(); ++task) {
    waiting_[batch.names[task]] = {batches_.size(), task};
  }
  batches_.push_back(batch);
}

std::vector<Undone> ClusterRun::gather() {
  Questions questions;
  heard_ = Clock::now();
  take_in();
  while (!waiting_.empty()) {
    wait_a_moment();
    take_in();
    if (waiting_.empty() || !questions.is_due()) continue;
    if (const auto tasks = ask()) {
      take_in();  // what was entered meanwhile
      look_for_lost(*tasks);
      show_progress(*tasks);
    }
  }
  for (const SlurmBatch& batch : batches_) remove_batch(batch, ledger_);
  return std::move(undone_);
}

/// Sees which submissions are done.
void ClusterRun::take_in() {
  std::erase_if(waiting_, [&](const auto& item) {
    if (!ledger_.is_done(item.first)) return false;
    listener_.done(item.first);
    return true;
  });
}

/// What Slurm tells; nothing where it does not answer just now.
std::optional<std::vector<SlurmTask>> ClusterRun::ask() {
  try {
    auto tasks = tasks_of(job_names(batches_));
    heard_ = Clock::now();
    return tasks;
  } catch (const CannotGrade& error) {
    if (Clock::now() - heard_ < patience) return std::nullopt;
    throw CannotGrade(fmt::format(
        "{}. Its jobs may go on; run the same command again to gather them.", error.what()));
  }
}

void ClusterRun::look_for_lost(const std::vector<SlurmTask>& tasks) {
  for (auto item = waiting_.begin(); item != waiting_.end();) {
    auto& [name, waiting] = *item;
    const auto task = std::ranges::find_if(tasks, [&, &at = waiting](const SlurmTask& candidate) {
      return is_of(candidate, batches_[at.batch]) && candidate.number == at.task;
    });
    const std::string reason = why_lost(waiting, task == tasks.end() ? nullptr : &*task);
    if (reason.empty()) {
      ++item;
      continue;
    }
    undone_.push_back({name, reason});
    item = waiting_.erase(item);
  }
}

/// Why no result is to be expected; empty where one is.
/// @param task  as Slurm knows it
std::string ClusterRun::why_lost(Waiting& waiting, const SlurmTask* task) const {
  if (task == nullptr && !waiting.has_begun) {
    // Of those that ended by themselves it knows for some minutes.
    return "Slurm does not know of its job any more; it may have been cancelled";
  }
  if (task != nullptr && task->state != "PENDING") waiting.has_begun = true;
  if (task != nullptr && !task->is_over()) return "";
  if (task != nullptr && task->state == "FAILED") {
    const fs::path log = log_of(batches_[waiting.batch], waiting.task, ledger_);
    return fmt::format("its job failed: {} ({})", last_line(log), printable(log.string()));
  }
  if (task != nullptr && task->state != "COMPLETED") {
    return fmt::format("Slurm says {}", printable(task->state));
  }
  if (!waiting.missed_since) waiting.missed_since = Clock::now();
  if (Clock::now() - *waiting.missed_since < patience) return "";
  return "its job has ended, and no result is to be seen here; is the folder on a file system that "
         "all nodes share?";
}

void ClusterRun::show_progress(const std::vector<SlurmTask>& tasks) const {
  const auto running = std::ranges::count(tasks, "RUNNING", &SlurmTask::state);
  const auto pending = std::ranges::find(tasks, "PENDING", &SlurmTask::state);
  listener_.progress(fmt::format(
      "waiting for {} submissions; Slurm: {} running{}", waiting_.size(), running,
      pending == tasks.end() ? "" : fmt::format(", others wait for {}", pending->reason)));
}

void ClusterRun::take_leave() const {
  if (waiting_.empty()) return;
  listener_.note(
      fmt::format("Slurm goes on with {} submissions. Run the same command again to gather them; "
                  "scancel --name={} ends them.",
                  waiting_.size(), fmt::join(job_names(batches_), ",")));
}

}  // namespace

std::vector<Undone> grade_on_cluster(const std::vector<CohortEntry>& entries,
                                     const CohortSettings& settings, const Ledger& ledger,
                                     const SlurmOptions& options, const SlurmListener& listener) {
  demand_slurm();
  ClusterRun run(settings, ledger, options, listener);
  try {
    run.join();
    run.submit(entries);
    return run.gather();
  } catch (const std::exception&) {
    run.take_leave();
    throw;
  }
}

void demand_none_on_cluster(const Ledger& ledger) {
  const std::vector<SlurmBatch> batches = find_batches(ledger);
  if (batches.empty()) return;
  const std::string left = printable(slurm_folder(ledger).string());
  std::vector<SlurmTask> tasks;
  try {
    demand_slurm();
    tasks = tasks_of(job_names(batches));
  } catch (const CannotGrade& error) {
    throw CannotGrade(fmt::format(
        "an earlier run left jobs with Slurm, which cannot be asked for them here ({}). "
        "Use --engine slurm where it can, or remove {} once they are over.",
        error.what(), left));
  }
  const auto alive = std::ranges::count(tasks, false, &SlurmTask::is_over);
  if (alive > 0) {
    throw CannotGrade(fmt::format(
        "Slurm still has {} submissions of an earlier run: gather them with --engine slurm, or end "
        "them with scancel --name={}",
        alive, fmt::join(job_names(batches), ",")));
  }
  for (const SlurmBatch& batch : batches) remove_batch(batch, ledger);
}

}  // namespace tilewise::grading
