#include "grading/cohort/local_engine.hpp"

#include <list>

#include "grading/cohort/grading.hpp"

namespace tilewise::grading {

namespace {

class LocalRun {
 public:
  LocalRun(const CohortSettings& settings, const Ledger& ledger,
           const std::function<void(const std::string&)>& done)
      : settings_(settings), ledger_(ledger), done_(done) {}
  LocalRun(const LocalRun&) = delete;
  LocalRun& operator=(const LocalRun&) = delete;

  /// What is still under way, where this run is given up, is asked to end before any is waited for.
  ~LocalRun() {
    for (Grading& grading : running_) grading.ask_to_end();
    for (Grading& grading : running_) grading.end();
  }

  long running() const { return std::ssize(running_); }

  void start(const CohortEntry& entry) {
    if (ledger_.is_done(entry.name)) return;
    if (prepare(entry, ledger_)) {
      running_.emplace_back(entry.name, settings_, ledger_);
    } else {
      done_(entry.name);
    }
  }

  void enter_what_is_over() {
    for (auto grading = running_.begin(); grading != running_.end();) {
      if (!grading->is_over()) {
        ++grading;
        continue;
      }
      grading->enter();
      done_(grading->name());
      grading = running_.erase(grading);
    }
  }

 private:
  const CohortSettings& settings_;
  const Ledger& ledger_;
  const std::function<void(const std::string&)>& done_;
  std::list<Grading> running_;
};

}  // namespace

void grade_locally(const std::vector<CohortEntry>& entries, const CohortSettings& settings,
                   const Ledger& ledger, int jobs,
                   const std::function<void(const std::string&)>& done) {
  LocalRun run(settings, ledger, done);
  auto next = entries.begin();
  while (next != entries.end() || run.running() > 0) {
    for (; next != entries.end() && run.running() < jobs; ++next) {
      throw_if_interrupted();
      run.start(*next);
    }
    run.enter_what_is_over();
  }
}

}  // namespace tilewise::grading
