#include "grading/cli/checked_call.hpp"

#include <fstream>

#include "grading/builder/builder.hpp"
#include "grading/cli/stage_choice.hpp"

namespace tilewise::grading {

namespace fs = std::filesystem;

StageInfo the_stage(const std::string& word) { return choose_stages({word}, stages()).front(); }

fs::path build_checked(const StageInfo& stage, const fs::path& folder, const fs::path& scratch) {
  const BuildOutcome built =
      build_module({stage.id, folder, Backend::simt, scratch, Flavour::checked});
  if (!built.ok) throw NothingToShow{{built.message, built.hint, "", 0}};
  return built.module;
}

SourceTexts read_sources(const StageInfo& stage, const fs::path& folder) {
  SourceTexts texts;
  for (const std::string& source : stage.sources) {
    std::ifstream file(folder / source, std::ios::binary);
    std::vector<std::string>& lines = texts[source];
    for (std::string line; std::getline(file, line);) lines.push_back(line);
  }
  return texts;
}

}  // namespace tilewise::grading
