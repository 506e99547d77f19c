#include "grading/labreport/stage_notes.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

std::ifstream opened(const fs::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  return stream;
}

/// The heading and the first paragraph of a page in Markdown.
void read_handout(const fs::path& file, StageNotes& notes) {
  std::ifstream stream = opened(file);
  for (std::string line; std::getline(stream, line) && notes.purpose.empty();) {
    if (line.starts_with("# ")) {
      notes.title = line.substr(2);
    } else if (!line.empty()) {
      notes.purpose = line;
    }
  }
  std::erase(notes.purpose, '`');
  if (notes.title.empty() || notes.purpose.empty()) {
    throw std::runtime_error(file.string() + " has no heading with a paragraph below");
  }
}

}  // namespace

std::vector<StageNotes> read_stage_notes(const fs::path& root,
                                         const std::vector<StageInfo>& stages) {
  std::vector<StageNotes> all;
  for (const StageInfo& stage : stages) {
    const nlohmann::json file = read_stage_file(root, stage.id);
    try {
      const nlohmann::json& report = file.at("report");
      all.push_back({stage.id, "", "", report.at("accesses"), report.at("questions")});
    } catch (const nlohmann::json::exception& error) {
      throw std::runtime_error(stage_file(root, stage.id).string() + ": report: " + error.what());
    }
    read_handout(root / "labs" / stage.id / "README.md", all.back());
  }
  return all;
}

}  // namespace tilewise::grading
