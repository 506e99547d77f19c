#include "grading/cli/temporary_submission.hpp"

#include <fstream>
#include <utility>
#include <vector>

#include "grading/builder/layout.hpp"
#include "grading/cli/stage_grading.hpp"

namespace tilewise::grading {

namespace fs = std::filesystem;

TemporarySubmission::TemporarySubmission(std::string stage_id) : stage_id_(std::move(stage_id)) {
  fs::create_directories(stage_folder());
}

void TemporarySubmission::take(const fs::path& folder) {
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() == ".cu")
      fs::copy_file(file, stage_folder() / file.path().filename());
  }
}

void TemporarySubmission::put(const std::string& file, const std::string& text) {
  std::ofstream(stage_folder() / file, std::ios::binary) << text;
}

StageResult TemporarySubmission::grade(double time_limit_s, const std::string& gpu,
                                       const std::set<std::string>& tests) const {
  std::vector<RubricEntry> entries = load_rubric(layout().root).at(stage_id_);
  std::erase_if(entries, [&](const RubricEntry& entry) {
    return !tests.empty() && !tests.contains(entry.test);
  });
  constexpr std::uint64_t seed = 20;  // any, but always the same
  const ExamConditions conditions{backend_, gpu, seed, time_limit_s, bubblewrap_};
  return grade_stage({stage_id_, stage_folder(), conditions, entries}, {});
}

}  // namespace tilewise::grading
