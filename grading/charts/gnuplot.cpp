#include "grading/charts/gnuplot.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "common/process/command.hpp"
#include "common/process/scratch_directory.hpp"
#include "grading/builder/programs.hpp"
#include "grading/charts/gnuplot_script.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text << std::flush;
  if (!stream) {
    throw std::runtime_error(
        fmt::format("cannot write {}: {}", printable(file.string()), std::strerror(errno)));
  }
}

void demand_plain(const std::string& name) {
  constexpr auto allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  if (name.empty() || name.find_first_not_of(allowed) != name.npos) {
    throw std::invalid_argument(printable(name) + " is no name for a chart's file");
  }
}

}  // namespace

void demand_gnuplot() {
  if (!find_program("gnuplot").empty()) return;
  throw std::runtime_error(
      "charts are drawn by gnuplot, which is not installed: sudo apt-get install gnuplot-nox");
}

std::string svg_of(const Chart& chart) {
  demand_gnuplot();
  const ScratchDirectory scratch;
  constexpr const char* script_file = "chart.gp";
  write(scratch.path() / script_file, gnuplot_script(chart));
  Command command;
  // Without the settings that the user keeps for his own charts.
  command.arguments = {"gnuplot", "--default-settings", script_file};
  command.working_directory = scratch.path();
  // Numbers with a point, whatever the user's language.
  command.environment = {{"LC_ALL", "C.UTF-8"}};
  command.time_limit_s = 60;
  const CommandResult result = run_command(command);
  std::ostringstream text;
  text << std::ifstream(scratch.path() / chart_file, std::ios::binary).rdbuf();
  if (!result.succeeded() || text.str().find("</svg>") == std::string::npos) {
    throw std::runtime_error(fmt::format("gnuplot {} on the chart '{}': {}",
                                         describe_ending(result), printable(chart.title),
                                         printable(result.output)));
  }
  return text.str();
}

void write_charts(const fs::path& folder, const std::vector<NamedChart>& charts) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw std::runtime_error(
        fmt::format("cannot make the folder {}: {}", printable(folder.string()), error.message()));
  }
  for (const auto& [name, chart] : charts) {
    demand_plain(name);
    write(folder / (name + ".svg"), svg_of(chart));
  }
}

}  // namespace tilewise::grading
