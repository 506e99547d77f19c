#include "tools/app/stage_argument.hpp"

#include "grading/cli/stage_choice.hpp"

namespace tilewise::grading {

StageInfo stage_meant(const std::string& word, const Progress& progress) {
  if (word.empty()) return current_stage(progress, stages());
  return choose_stages({word}, stages()).front();
}

}  // namespace tilewise::grading
