#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "common/core/paths.hpp"
#include "common/process/command.hpp"
#include "common/process/scratch_directory.hpp"
#include "grading/builder/layout.hpp"

// The figures of handouts are what `lab trace` draws today.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

TEST(Figures, AreWhatTheirCommandsDraw) {
  const fs::path root = core::project_root();
  const ScratchDirectory scratch;
  const fs::path drawn = scratch.path() / "figure.svg";
  const auto figures = nlohmann::json::parse(text_of(root / "grading/trace/figures.json"));
  EXPECT_GE(figures.size(), 20u);
  for (const auto& figure : figures) {
    Command command;
    command.arguments = {tool("tilewise"), "trace"};
    for (const auto& word : figure["trace"]) {
      const auto text = word.get<std::string>();
      command.arguments.push_back(text.starts_with("grading/") ? (root / text).string() : text);
    }
    command.arguments.insert(command.arguments.end(), {"--figure", drawn});
    const CommandResult run = run_command(command);
    ASSERT_TRUE(run.succeeded()) << run.output;
    const auto file = figure["file"].get<std::string>();
    EXPECT_EQ(text_of(root / file), text_of(drawn))
        << file << " is stale. Draw all figures again: grading/trace/draw_figures.py "
        << tool("tilewise").string();
  }
}

}  // namespace
}  // namespace tilewise::grading
