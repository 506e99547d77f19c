#include "grading/cli/gpu_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <thread>
#include <tuple>

#include "common/process/command.hpp"
#include "grading/builder/programs.hpp"
#include "grading/cli/gpu_turns.hpp"
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

bool less_busy(const GpuLoad& a, const GpuLoad& b) {
  const auto load = [](const GpuLoad& gpu) {
    return std::tuple(gpu.processes, gpu.utilization_pct, gpu.memory_used_mib, gpu.index);
  };
  return load(a) < load(b);
}

std::vector<GpuLoad> usable_gpus(const std::vector<GpuLoad>& gpus, const std::string& wanted,
                                 const std::string& visible) {
  if (wanted != "auto") {
    if (!is_index(wanted)) {
      throw CannotGrade(
          fmt::format("--device '{}' is no number of a GPU; nvidia-smi lists them, and "
                      "auto takes the least busy one",
                      wanted));
    }
    const int index = std::stoi(wanted);
    const auto found = std::ranges::find(gpus, index, &GpuLoad::index);
    if (!gpus.empty() && found == gpus.end()) {
      throw CannotGrade(fmt::format("--device {}: this machine has {} GPU{}, numbered from 0",
                                    index, gpus.size(), gpus.size() == 1 ? "" : "s"));
    }
    return gpus.empty() ? gpus : std::vector<GpuLoad>{*found};
  }
  if (visible.empty()) return gpus;
  std::vector<GpuLoad> named;
  for (const std::string& name : cells_of(visible)) {
    const auto found = std::ranges::find_if(gpus, [&](const GpuLoad& gpu) {
      // CUDA takes the beginning of a name for the whole.
      return name == std::to_string(gpu.index) || (!is_index(name) && gpu.uuid.starts_with(name));
    });
    if (found != gpus.end()) named.push_back(*found);
  }
  return named;
}

std::string name_among(const std::string& name, const std::optional<GpuLoad>& gpu,
                       std::size_t gpus_of_machine) {
  if (!gpu || gpus_of_machine < 2) return name;
  return fmt::format("{}, GPU {} of {}", name, gpu->index, gpus_of_machine);
}

GpuChoice choose_gpu(const std::string& wanted) {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::vector<GpuLoad> gpus = gpus_of_this_machine();
  const std::vector<GpuLoad> usable = usable_gpus(gpus, wanted, visible == nullptr ? "" : visible);
  if (usable.empty()) {
    // nvidia-smi is missing, or the user has named what it does not list, such as a part of a GPU.
    if (wanted != "auto") show_only(wanted);
    return {std::nullopt, gpus.size()};
  }
  const GpuLoad& taken = take_one_of(
      usable,
      {.try_to_take = [](const GpuLoad& gpu) { return try_to_take(gpu.uuid, folder_of_turns()); },
       .tell_of_waiting =
           [&] {
             fmt::print(stderr,
                        "tilewise: other gradings use {}; waiting for one of them to end. "
                        "Their locks are files tilewise-GPU-*.lock in {}.\n",
                        usable.size() == 1 ? "the GPU" : "all GPUs", folder_of_turns().string());
           },
       .wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }});
  show_only(taken.uuid);
  return {taken, gpus.size()};
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
