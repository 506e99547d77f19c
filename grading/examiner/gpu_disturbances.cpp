#include "grading/examiner/gpu_disturbances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "common/process/command.hpp"

namespace tilewise::grading {
namespace {

// What nvidia-smi prints, of the GPU in use only.
std::string query(const std::string& what) {
  Command command;
  command.arguments = {"nvidia-smi", what, "--format=csv,noheader"};
  // As the command line has chosen it, or the first, as CUDA does.
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  command.arguments.push_back(std::string("--id=") + (visible != nullptr ? visible : "0"));
  command.time_limit_s = 10;
  const CommandResult result = run_command(command);
  return result.succeeded() ? result.output : "";
}

std::size_t lines_with_a_number(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::size_t count = 0;
  for (std::string line; std::getline(stream, line);) {
    count += !line.empty() && std::isdigit(static_cast<unsigned char>(line.front())) != 0;
  }
  return count;
}

}  // namespace

std::vector<std::string> disturbances_in(std::string_view throttle_reasons,
                                         std::string_view applications, std::size_t own_processes) {
  // Names and bits: nvmlClocksThrottleReasons in nvml.h. Idling and the power limit, which a kernel
  // that keeps the whole GPU busy reaches, are no disturbances.
  constexpr struct {
    std::uint64_t bit;
    const char* words;
  } reasons[] = {{0x08, "the hardware has slowed its clock down"},
                 {0x20, "it is too hot to run at full speed"},
                 {0x40, "it is too hot to run at full speed"},
                 {0x80, "its power supply has slowed its clock down"}};
  std::vector<std::string> found;
  const std::uint64_t active = std::strtoull(std::string(throttle_reasons).c_str(), nullptr, 16);
  for (const auto& reason : reasons) {
    if ((active & reason.bit) == 0) continue;
    if (std::ranges::find(found, reason.words) == found.end()) found.push_back(reason.words);
  }
  const std::size_t processes = lines_with_a_number(applications);
  if (processes > own_processes) {
    const std::size_t others = processes - own_processes;
    found.push_back(
        fmt::format("{} other process{} the GPU", others, others == 1 ? " uses" : "es use"));
  }
  return found;
}

std::vector<std::string> gpu_disturbances(std::size_t own_processes) {
  if (!find_on_path("nvidia-smi")) return {};
  return disturbances_in(query("--query-gpu=clocks_throttle_reasons.active"),
                         query("--query-compute-apps=pid"), own_processes);
}

}  // namespace tilewise::grading
