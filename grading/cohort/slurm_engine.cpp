#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "common/process/command.hpp"
#include "grading/cli/submission.hpp"
#include "grading/cohort/cluster_run.hpp"
#include "grading/cohort/engines.hpp"
#include "grading/cohort/slurm.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// How long Slurm may be silent, and how long a file that was written on a node may be invisible
/// here. A controller that is restarted takes minutes, a network file system up to one.
constexpr Clock::duration patience = 2min;

/// A signal ends the wait early.
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

/// Decides when to ask Slurm: less and less often, since it has others to serve.
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

/// Decides when to look at the folder, since there may be many results, far away.
class Looks {
 public:
  bool are_due() const { return Clock::now() >= next_; }
  /// Must be called when a look that began at `begin` is over.
  void took_since(Clock::time_point begin) {
    constexpr int part_of_the_time = 10;
    next_ = Clock::now() + part_of_the_time * (Clock::now() - begin);
  }

 private:
  Clock::time_point next_ = Clock::now();
};

}  // namespace

void ClusterRun::join() {
  const std::vector<SlurmBatch> found = find_batches(ledger_);
  std::map<std::string, std::vector<SlurmTask>> tasks;
  for (SlurmTask& task : tasks_of(job_names(found))) tasks[task.job_name].push_back(task);
  for (const SlurmBatch& batch : found) {
    const std::size_t before = waiting_.size();
    std::string array;
    for (const SlurmTask& task : tasks[batch.job_name()]) {
      if (!is_of(task, batch) || task.is_over()) continue;
      array = task.array_id;
      const std::string& name = batch.names[task.number];
      if (!ledger_.is_done(name)) waiting_[name] = {batches_.size(), task.number};
    }
    if (waiting_.size() == before) {
      remove_batch(batch, ledger_);
    } else {
      batches_.push_back(batch);
      arrays_.push_back(array);
    }
  }
  if (!waiting_.empty()) {
    listener_.note(
        fmt::format("With Slurm since an earlier run: {} of the submissions", waiting_.size()));
  }
}

/// Returns the batches with submissions that are waited for.
std::vector<SlurmBatch> ClusterRun::batches_under_way() const {
  std::vector<bool> is_under_way(batches_.size());
  for (const auto& [name, waiting] : waiting_) is_under_way[waiting.batch] = true;
  std::vector<SlurmBatch> batches;
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    if (is_under_way[i]) batches.push_back(batches_[i]);
  }
  return batches;
}

std::vector<Undone> ClusterRun::run() {
  Questions questions;
  Looks looks;
  heard_ = Clock::now();
  while (!waiting_.empty() || !all_submitted()) {
    submit_what_is_taken();
    if (looks.are_due()) {
      const auto begin = Clock::now();
      take_in();
      looks.took_since(begin);
    }
    if (waiting_.empty() && all_submitted()) break;
    wait_a_moment();
    if (waiting_.empty() || !questions.is_due()) continue;
    if (const auto tasks = ask()) {
      take_in();  // takes in what was entered meanwhile
      look_for_lost(*tasks);
      show_progress(*tasks);
    }
  }
  for (const SlurmBatch& batch : batches_) remove_batch(batch, ledger_);
  return std::move(undone_);
}

/// Finds which submissions are done, and no longer waits for them.
void ClusterRun::take_in() {
  std::erase_if(waiting_, [&](const auto& item) {
    if (!ledger_.is_done(item.first)) return false;
    listener_.done(item.first);
    return true;
  });
}

/// Returns the tasks that Slurm lists; nothing if it does not answer just now.
std::optional<std::vector<SlurmTask>> ClusterRun::ask() {
  try {
    auto tasks = tasks_of(job_names(batches_under_way()));
    heard_ = Clock::now();
    return tasks;
  } catch (const CannotGrade& error) {
    if (Clock::now() - heard_ < patience) return std::nullopt;
    throw CannotGrade(fmt::format(
        "{}. Its jobs may go on; run the same command again to gather them.", error.what()));
  }
}

void ClusterRun::look_for_lost(const std::vector<SlurmTask>& tasks) {
  std::map<std::pair<std::string_view, std::size_t>, const SlurmTask*> known;
  for (const SlurmTask& task : tasks) known[{task.job_name, task.number}] = &task;
  for (auto item = waiting_.begin(); item != waiting_.end();) {
    auto& [name, waiting] = *item;
    const std::string job_name = batches_[waiting.batch].job_name();
    const auto task = known.find({job_name, waiting.task});
    const std::string reason = why_lost(waiting, task == known.end() ? nullptr : task->second);
    if (reason.empty()) {
      ++item;
      continue;
    }
    undone_.push_back({name, reason});
    item = waiting_.erase(item);
  }
}

/// Returns why no result can be expected; empty if one can.
/// @param task  as Slurm knows it; null if it does not
std::string ClusterRun::why_lost(Waiting& waiting, const SlurmTask* task) const {
  const fs::path log = log_of(batches_[waiting.batch], waiting.task, ledger_);
  if (task == nullptr && !waiting.has_begun && !fs::exists(log)) {
    // Slurm knows for some minutes of jobs that ended by themselves.
    return "Slurm does not know of its job any more; it may have been cancelled";
  }
  if (task != nullptr && task->state != "PENDING") waiting.has_begun = true;
  if (task != nullptr && !task->is_over()) return "";
  // If this command slept for longer than Slurm remembers, the log still tells.
  const std::string said = last_line(log);
  if (task == nullptr ? said.starts_with("tilewise: ") : task->state == "FAILED") {
    return fmt::format("its job failed: {} ({})", said, printable(log.string()));
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
      "waiting for {} of the submissions{}; Slurm: {} running{}", waiting_.size(),
      all_submitted() ? "" : fmt::format(", {} are not submitted yet", not_submitted()), running,
      pending == tasks.end() ? "" : fmt::format(", others wait for {}", pending->reason)));
}

void ClusterRun::take_leave() const {
  if (waiting_.empty()) return;
  listener_.note(fmt::format(
      "Left with Slurm: {} of the submissions. Run the same command again to gather them; "
      "scancel --name={} ends them.",
      waiting_.size(), fmt::join(job_names(batches_under_way()), ",")));
}

std::vector<Undone> grade_on_cluster(const std::vector<CohortEntry>& entries,
                                     const CohortSettings& settings, const Ledger& ledger,
                                     const SlurmOptions& options, const SlurmListener& listener) {
  demand_slurm();
  ClusterRun run(entries, settings, ledger, options, listener);
  try {
    run.join();
    return run.run();
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
    throw CannotGrade(
        fmt::format("Slurm still has {} of the submissions since an earlier run: gather them with "
                    "--engine slurm, or end "
                    "them with scancel --name={}",
                    alive, fmt::join(job_names(batches), ",")));
  }
  for (const SlurmBatch& batch : batches) remove_batch(batch, ledger);
}

}  // namespace tilewise::grading
