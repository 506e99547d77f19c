#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "common/base/files.hpp"
#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/course/stages.hpp"

// These tests check that the figures in handouts are what `lab trace` and `lab profile` draw now.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// In a stage.json, "figures" lists the files in the handout's folder with the options of `lab
/// trace`, or of `lab profile`, that draw them.
TEST(Figures, AreWhatTheirCommandsDraw) {
  const fs::path root = core::project_root();
  const ScratchDirectory scratch;
  const fs::path drawn = scratch.path() / "figure.svg";
  for (const StageInfo& stage : stages()) {
    for (const auto& figure :
         read_stage_file(root, stage.id).value("figures", nlohmann::json::array())) {
      Command command;
      const bool is_roofline = figure.contains("profile");
      const char* const name_of_command = is_roofline ? "profile" : "trace";
      command.arguments = {tool("tilewise"), name_of_command, stage.id};
      // Registers are estimated, so that a figure does not depend on the installed nvcc.
      command.environment = {{"CUDACXX", "/bin/false"}};
      for (const auto& word : figure.at(name_of_command)) {
        const auto text = word.get<std::string>();
        command.arguments.push_back(text.starts_with("grading/") ? (root / text).string() : text);
      }
      command.arguments.insert(command.arguments.end(),
                               {is_roofline ? "--plot" : "--figure", drawn});
      const CommandResult run = run_command(command);
      ASSERT_TRUE(run.succeeded()) << run.output;
      const auto name = figure.at("file").get<std::string>();
      EXPECT_EQ(text_of(root / "labs" / stage.id / "figures" / name), text_of(drawn))
          << stage.id << '/' << name << " is stale. Draw all figures again: "
          << "tools/page/draw_figures.py " << tool("tilewise").string();
    }
  }
}

/// Every figure must have a command that draws it, or it would go stale unnoticed.
TEST(Figures, HaveACommandEach) {
  const fs::path root = core::project_root();
  for (const StageInfo& stage : stages()) {
    std::set<std::string> drawn, shown;
    for (const auto& figure :
         read_stage_file(root, stage.id).value("figures", nlohmann::json::array())) {
      drawn.insert(figure.at("file").get<std::string>());
    }
    const fs::path folder = root / "labs" / stage.id / "figures";
    if (fs::exists(folder)) {
      for (const auto& file : fs::directory_iterator(folder)) {
        shown.insert(file.path().filename().string());
      }
    }
    EXPECT_EQ(drawn, shown) << stage.id;
  }
}

}  // namespace
}  // namespace tilewise::grading
