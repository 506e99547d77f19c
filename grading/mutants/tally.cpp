#include "grading/mutants/tally.hpp"

#include <fmt/format.h>

#include <fstream>

#include "common/core/paths.hpp"

namespace tilewise::grading {

void Tally::count(const std::string& stage, const std::string& kind, bool judged_well) {
  Count& count = stages_[stage][kind];
  ++count.all;
  if (judged_well) ++count.judged_well;
}

void Tally::write(const std::filesystem::path& folder) const {
  std::filesystem::create_directories(folder);
  for (const auto& [stage, kinds] : stages_) {
    std::ofstream file(folder / (stage + "." + name_));
    for (const auto& [kind, count] : kinds) {
      file << fmt::format("{} {} {} {}\n", stage, kind, count.judged_well, count.all);
    }
  }
}

std::filesystem::path tally_folder() { return core::executable_directory() / "tally"; }

}  // namespace tilewise::grading
