#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/process/command.hpp"
#include "grading/cohort/cluster_run.hpp"
#include "grading/cohort/engines.hpp"
#include "grading/cohort/slurm.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

// How a run hands submissions to Slurm: in arrays as large as the cluster takes them.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

}  // namespace

/// Puts as many submissions in place as the next array takes.
void ClusterRun::prepare_some() {
  while (next_ < entries_.size() && prepared_.size() < next_tasks_) {
    throw_if_interrupted();
    const CohortEntry& entry = entries_[next_++];
    if (ledger_.is_done(entry.name) || waiting_.contains(entry.name)) continue;
    if (prepare(entry, ledger_)) {
      prepared_.push_back(entry.name);
    } else {
      listener_.done(entry.name);
    }
  }
}

void ClusterRun::submit_what_is_taken() {
  while (!all_submitted() && Clock::now() >= next_submission_) {
    prepare_some();
    if (prepared_.empty()) continue;
    const auto count = static_cast<std::ptrdiff_t>(std::min(next_tasks_, prepared_.size()));
    if (!submit_batch({prepared_.begin(), prepared_.begin() + count})) return;
    prepared_.erase(prepared_.begin(), prepared_.begin() + count);
    next_tasks_ = std::min(2 * next_tasks_, most_tasks);
  }
}

/// @return whether the cluster has taken them
bool ClusterRun::submit_batch(std::vector<std::string> names) {
  const SlurmBatch batch = begin_batch(std::move(names), ledger_);
  SlurmAnswer answer;
  try {
    answer = submit_array(batch);
  } catch (const CannotGrade&) {
    remove_batch(batch, ledger_);
    throw;
  }
  if (answer.id.empty()) {
    // If Slurm has taken the array after all, its tasks find no batch and end at once.
    remove_batch(batch, ledger_);
    wait_for_room(answer);
    return false;
  }
  listener_.note(fmt::format("With Slurm as job array {}: {} of the submissions", answer.id,
                             batch.names.size()));
  for (std::size_t task = 0; task < batch.names.size(); ++task) {
    waiting_[batch.names[task]] = {batches_.size(), task};
  }
  batches_.push_back(batch);
  arrays_.push_back(answer.id);
  said_to_be_full_ = false;
  return true;
}

SlurmAnswer ClusterRun::submit_array(const SlurmBatch& batch) {
  const bool with_gpu = settings_.backend == "cuda";
  const fs::path folder = fs::absolute(slurm_folder(ledger_));
  SlurmArray array{.job_name = batch.job_name(),
                   .script = folder / (batch.id + ".sh"),
                   .folder = folder,
                   .output = batch.id + "-%a.log",
                   .tasks = batch.names.size(),
                   .at_a_time = options_.jobs,
                   .after = {}};
  // An array's limit holds for its own tasks only, so this one waits for the others to end.
  if (options_.jobs > 0) array.after = arrays_under_way();
  write_whole(array.script, job_script(batch, ledger_, with_gpu, options_.arguments));
  return grading::submit(array);
}

/// Tries fewer tasks at once or, if not even one is taken, tries again later.
/// @throws CannotGrade if waiting will not help
void ClusterRun::wait_for_room(const SlurmAnswer& answer) {
  if (next_tasks_ > 1) {
    next_tasks_ = std::max<std::size_t>(std::min(next_tasks_, prepared_.size()) / 2, 1);
    return;
  }
  if (waiting_.empty() && !answer.will_pass) {
    throw CannotGrade(fmt::format("Slurm does not take the jobs: {}", answer.words));
  }
  constexpr Clock::duration pause = 15s;
  next_submission_ = Clock::now() + pause;
  if (std::exchange(said_to_be_full_, true)) return;
  listener_.note(fmt::format(
      "The cluster takes no more jobs for now ({}). With it: {} of the submissions; not yet: {}. "
      "They follow as it takes them.",
      first_line(answer.words), waiting_.size(), not_submitted()));
}

std::vector<std::string> ClusterRun::arrays_under_way() const {
  std::set<std::size_t> numbers;
  for (const auto& [name, waiting] : waiting_) numbers.insert(waiting.batch);
  std::vector<std::string> arrays;
  for (const std::size_t number : numbers) arrays.push_back(arrays_[number]);
  return arrays;
}

}  // namespace tilewise::grading
