#include "grading/cohort/class.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "common/base/files.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/backend_choice.hpp"
#include "grading/cohort/roster.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Returns the backend that was asked for; if none was, that of the earlier run that is continued.
std::string backend_of(const CohortOptions& options) {
  const std::optional<CohortSettings> earlier = find_settings(options.out);
  Run run = options;
  if (options.backend == "auto" && earlier) run.backend = earlier->backend;
  if (options.engine == "slurm" && run.backend == "cuda") {
    // The nodes have GPUs even if this machine has none; each job looks for its own.
    core::gpu_profile(run.gpu);
    return run.backend;
  }
  return std::string(to_string(choose_backend(run, GpuUser::others).backend));
}

CohortSettings settings_of(const CohortOptions& options) {
  CohortSettings settings;
  for (const StageInfo& stage : choose_stages(options.stages, stages())) {
    settings.stages.push_back(stage.id);
  }
  settings.backend = backend_of(options);
  settings.gpu = options.gpu;
  settings.seed = options.seed;
  settings.pseudonyms = !options.pseudonyms.empty();
  return settings;
}

/// Replaces names by pseudonyms; from here on nothing carries a real name.
void give_pseudonyms(Class& of_all, const fs::path& file) {
  Pseudonyms pseudonyms(file);
  for (CohortEntry& entry : of_all.intake.entries) {
    entry.secrets.push_back(entry.name);
    for (const HandedIn& source : entry.sources) {
      entry.secrets.push_back(source.path.filename().string());
      entry.secrets.push_back(source.path.filename().stem().string());
    }
    for (const Person& person : entry.people) {
      entry.secrets.push_back(person.name);
      entry.secrets.insert(entry.secrets.end(), person.ids.begin(), person.ids.end());
    }
    std::erase(entry.secrets, "");
    std::ranges::sort(entry.secrets, std::ranges::greater(), &std::string::size);
    const bool is_one = entry.students.size() == 1;
    entry.name = pseudonyms.of(is_one ? of_all.roster[entry.students.front()].name : entry.name);
    for (std::string& note : entry.notes) note = without_secrets(std::move(note), entry);
  }
  std::ranges::sort(of_all.intake.entries, {}, &CohortEntry::name);
  std::vector<std::string> names;
  for (const Student& student : of_all.roster.students())
    names.push_back(pseudonyms.of(student.name));
  pseudonyms.write();
  of_all.roster = of_all.roster.renamed(names);
}

}  // namespace

Class class_of(const CohortOptions& options) {
  Class of_all;
  of_all.rubric = load_rubric(layout().root);
  of_all.settings = settings_of(options);
  of_all.intake = take_in(options.submissions);
  of_all.has_roster = !options.roster.empty();
  of_all.roster = settle_students(of_all.intake.entries, options.roster);
  of_all.real_students = of_all.roster;
  const std::vector<std::string>& stages = of_all.settings.stages;
  of_all.deadlines = Deadlines(options.deadlines, of_all.roster, stages);
  if (!options.points.empty()) {
    of_all.remarks = read_remarks(options.points, of_all.roster, stages, of_all.rubric);
  }
  of_all.pseudonyms = options.pseudonyms;
  if (!options.pseudonyms.empty()) {
    std::error_code error;
    if (core::lies_in(fs::weakly_canonical(options.pseudonyms, error),
                      fs::weakly_canonical(options.out, error))) {
      throw CannotGrade(
          "--pseudonyms names a file in --out, which nothing may be in that tells "
          "who is who: name one elsewhere");
    }
    give_pseudonyms(of_all, options.pseudonyms);
  }
  return of_all;
}

namespace {

/// Returns why a submission has no result.
std::string reason_of(const std::string& name, const std::vector<Undone>& undone) {
  const auto found = std::ranges::find(undone, name, &Undone::name);
  return found == undone.end() ? "its turn has not come" : found->reason;
}

}  // namespace

GradedSubmission graded_of(const std::string& name, const Ledger& ledger,
                           const std::vector<Undone>& undone) {
  if (!ledger.is_done(name)) return {{}, "not done yet: " + reason_of(name, undone)};
  try {
    return ledger.read(name);
  } catch (const CannotGrade& error) {
    return {{}, error.what()};
  }
}

std::vector<Mark> marks_of(const Class& of_all, const Ledger& ledger,
                           const std::vector<Undone>& undone) {
  std::vector<Mark> marks;
  std::vector<bool> has_handed_in(of_all.roster.students().size());
  const auto add = [&](Mark mark, const std::vector<std::size_t>& students) {
    for (const Remark& remark : of_all.remarks) {
      const bool is_of_this = std::ranges::find(students, remark.student) != students.end();
      if (is_of_this) mark.remarks.push_back(remark);
    }
    add_up(mark, of_all.settings.stages, of_all.rubric, of_all.deadlines, students);
    marks.push_back(std::move(mark));
  };
  const auto mark_of = [&](std::size_t student) {
    const Student& one = of_all.roster[student];
    return Mark{.name = one.name, .id = one.id, .email = one.email};
  };
  for (const CohortEntry& entry : of_all.entries()) {
    Mark mark{.name = entry.name};
    mark.submission = entry.name;
    mark.graded = graded_of(entry.name, ledger, undone);
    mark.at = entry.at;
    mark.notes = entry.notes;
    if (entry.students.empty()) add(mark, {});
    for (const std::size_t student : entry.students) {
      has_handed_in[student] = true;
      Mark own = mark_of(student);
      own.submission = mark.submission;
      own.graded = mark.graded;
      own.at = mark.at;
      own.notes = mark.notes;
      add(std::move(own), {student});
    }
  }
  for (std::size_t student = 0; student < has_handed_in.size(); ++student) {
    if (!has_handed_in[student]) add(mark_of(student), {student});
  }
  std::ranges::sort(marks, {}, &Mark::name);
  return marks;
}

}  // namespace tilewise::grading
