#include "grading/cli/source_texts.hpp"

#include <fstream>

namespace tilewise::grading {

SourceTexts read_sources(const StageInfo& stage, const std::filesystem::path& folder) {
  SourceTexts texts;
  for (const std::string& source : stage.sources) {
    std::ifstream file(folder / source, std::ios::binary);
    std::vector<std::string>& lines = texts[source];
    for (std::string line; std::getline(file, line);) lines.push_back(line);
  }
  return texts;
}

}  // namespace tilewise::grading
