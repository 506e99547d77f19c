#include "grading/cohort/local_engine.hpp"

#include <list>

#include "grading/cohort/grading.hpp"

namespace tilewise::grading {

void grade_locally(const std::vector<CohortEntry>& entries, const CohortSettings& settings,
                   const Ledger& ledger, int jobs,
                   const std::function<void(const std::string&)>& done) {
  std::list<Grading> running;
  auto next = entries.begin();
  while (next != entries.end() || !running.empty()) {
    for (; next != entries.end() && std::ssize(running) < jobs; ++next) {
      if (ledger.is_done(next->name)) continue;
      if (prepare(*next, ledger)) {
        running.emplace_back(next->name, settings, ledger);
      } else {
        done(next->name);
      }
    }
    for (auto grading = running.begin(); grading != running.end();) {
      if (!grading->is_over()) {
        ++grading;
        continue;
      }
      grading->enter();
      done(grading->name());
      grading = running.erase(grading);
    }
  }
}

}  // namespace tilewise::grading
