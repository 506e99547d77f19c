#include "grading/cli/gpu_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <tuple>

#include "grading/builder/command.hpp"
#include "grading/builder/programs.hpp"
#include "grading/cli/stage_choice.hpp"

namespace tilewise::grading {
namespace {

// "0, GPU-1f2e, 12, 1043"
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream >> std::ws, cell, ',');) cells.push_back(cell);
  return cells;
}

template <class Use>
void for_each_line(std::string_view text, Use&& use) {
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) use(cells_of(line));
}

// What a card does not tell is "[N/A]".
double number_or_zero(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

std::string query(const std::string& what, const std::string& format) {
  Command command;
  command.arguments = {"nvidia-smi", what, "--format=" + format};
  command.time_limit_s = 30;  // a driver that must start first takes seconds
  const CommandResult result = run_command(command);
  return result.succeeded() ? result.output : "";
}

std::vector<GpuLoad> gpus_of_this_machine() {
  if (find_program("nvidia-smi").empty()) return {};
  return parse_gpu_loads(
      query("--query-gpu=index,uuid,utilization.gpu,memory.used", "csv,noheader,nounits"),
      query("--query-compute-apps=gpu_uuid,pid", "csv,noheader"));
}

void show_only(const std::string& gpu) {
  ::setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
  ::setenv("CUDA_VISIBLE_DEVICES", gpu.c_str(), 1);
}

bool is_index(const std::string& text) {
  constexpr std::size_t most_digits = 4;
  return !text.empty() && text.size() <= most_digits &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::vector<GpuLoad> parse_gpu_loads(std::string_view gpus, std::string_view applications) {
  std::vector<GpuLoad> loads;
  for_each_line(gpus, [&](const std::vector<std::string>& cells) {
    if (cells.size() != 4 || !is_index(cells[0])) return;
    loads.push_back({.index = std::stoi(cells[0]),
                     .uuid = cells[1],
                     .utilization_pct = number_or_zero(cells[2]),
                     .memory_used_mib = number_or_zero(cells[3])});
  });
  for_each_line(applications, [&](const std::vector<std::string>& cells) {
    if (cells.size() != 2) return;
    const auto gpu = std::ranges::find(loads, cells[0], &GpuLoad::uuid);
    if (gpu != loads.end()) ++gpu->processes;
  });
  return loads;
}

const GpuLoad& least_busy(const std::vector<GpuLoad>& gpus) {
  return *std::ranges::min_element(gpus, {}, [](const GpuLoad& gpu) {
    return std::tuple(gpu.processes, gpu.utilization_pct, gpu.memory_used_mib, gpu.index);
  });
}

void choose_gpu(const std::string& wanted) {
  if (wanted == "auto") {
    if (std::getenv("CUDA_VISIBLE_DEVICES") != nullptr) return;
    const std::vector<GpuLoad> gpus = gpus_of_this_machine();
    if (gpus.size() > 1) show_only(least_busy(gpus).uuid);
    return;
  }
  if (!is_index(wanted)) {
    throw CannotGrade(
        fmt::format("--device '{}' is no number of a GPU; nvidia-smi lists them, and "
                    "auto takes the least busy one",
                    wanted));
  }
  const std::vector<GpuLoad> gpus = gpus_of_this_machine();
  const int index = std::stoi(wanted);
  if (!gpus.empty() && std::ranges::find(gpus, index, &GpuLoad::index) == gpus.end()) {
    throw CannotGrade(fmt::format("--device {}: this machine has {} GPU{}, numbered from 0", index,
                                  gpus.size(), gpus.size() == 1 ? "" : "s"));
  }
  show_only(wanted);
}

std::optional<std::size_t> free_gpu_memory() {
  if (find_program("nvidia-smi").empty()) return std::nullopt;
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string gpus = visible == nullptr ? "0" : visible;
  Command command;
  command.arguments = {"nvidia-smi", "--id=" + gpus.substr(0, gpus.find(',')),
                       "--query-gpu=memory.free", "--format=csv,noheader,nounits"};
  command.time_limit_s = 30;
  const CommandResult result = run_command(command);
  const double mebibytes = number_or_zero(result.output);
  if (!result.succeeded() || mebibytes <= 0) return std::nullopt;
  constexpr double mebibyte = 1 << 20;
  return static_cast<std::size_t>(mebibytes * mebibyte);
}

}  // namespace tilewise::grading
