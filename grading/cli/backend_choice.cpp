#include "grading/cli/backend_choice.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>
#include <tuple>

#include "common/base/language.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/process/command.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/submission.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

// Returns the cells of a line such as "0, GPU-1f2e, 12, 1043".
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

// nvidia-smi writes "[N/A]" for what a card does not report.
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
          tr("--device '{}' is no number of a GPU; nvidia-smi lists them, and "
             "auto takes the least busy one",
             wanted));
    }
    const int index = std::stoi(wanted);
    const auto found = std::ranges::find(gpus, index, &GpuLoad::index);
    if (!gpus.empty() && found == gpus.end()) {
      throw CannotGrade(tr("--device {}: this machine has {} GPU{}, numbered from 0", index,
                           gpus.size(), gpus.size() == 1 ? "" : "s"));
    }
    return gpus.empty() ? gpus : std::vector<GpuLoad>{*found};
  }
  if (visible.empty()) return gpus;
  std::vector<GpuLoad> named;
  for (const std::string& name : cells_of(visible)) {
    const auto found = std::ranges::find_if(gpus, [&](const GpuLoad& gpu) {
      // CUDA accepts the beginning of a name for the whole name.
      return name == std::to_string(gpu.index) || (!is_index(name) && gpu.uuid.starts_with(name));
    });
    if (found != gpus.end()) named.push_back(*found);
  }
  return named;
}

std::string name_among(const std::string& name, const std::optional<GpuLoad>& gpu,
                       std::size_t gpus_of_machine) {
  if (!gpu || gpus_of_machine < 2) return name;
  return tr("{}, GPU {} of {}", name, gpu->index, gpus_of_machine);
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
             fmt::print(stderr, "{}",
                        tr("tilewise: other gradings use {}; waiting for one of them to end. "
                           "Their locks are files tilewise-GPU-*.lock in {}.\n",
                           usable.size() == 1 ? tr("the GPU") : tr("all GPUs"),
                           folder_of_turns().string()));
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

namespace {

// Keeps letters, digits and hyphens only, so that the result names a file whatever the UUID holds.
std::string file_name_of(std::string uuid) {
  std::ranges::replace_if(
      uuid, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-'; }, '_');
  return "tilewise-" + uuid + ".lock";
}

// Returns a descriptor that no program started from here inherits, so that the turn ends with this
// process.
int open_lock_file(const std::filesystem::path& path) {
  constexpr int common = O_CLOEXEC | O_NOFOLLOW;
  constexpr mode_t for_all = 0666;
  const int created = open(path.c_str(), common | O_RDWR | O_CREAT, for_all);
  // In a folder for all users, systems may refuse to open another user's file with O_CREAT.
  return created >= 0 ? created : open(path.c_str(), common | O_RDONLY);
}

}  // namespace

std::filesystem::path folder_of_turns() { return "/tmp"; }

bool try_to_take(const std::string& uuid, const std::filesystem::path& folder) {
  static std::set<std::filesystem::path> taken;
  const std::filesystem::path path = folder / file_name_of(uuid);
  if (taken.contains(path)) return true;
  const int file = open_lock_file(path);
  if (file < 0) return true;
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(file);
    return false;
  }
  taken.insert(path);
  return true;
}

const GpuLoad& take_one_of(const std::vector<GpuLoad>& gpus, const GpuTurns& turns) {
  std::vector<const GpuLoad*> in_order;
  for (const GpuLoad& gpu : gpus) in_order.push_back(&gpu);
  std::ranges::sort(in_order, [](const GpuLoad* a, const GpuLoad* b) { return less_busy(*a, *b); });
  bool told = false;
  while (true) {
    const auto free =
        std::ranges::find_if(in_order, [&](const GpuLoad* gpu) { return turns.try_to_take(*gpu); });
    if (free != in_order.end()) return **free;
    if (!told) turns.tell_of_waiting();
    told = true;
    turns.wait();
  }
}

namespace {

ChosenBackend cuda(const std::string& device, GpuUser user) {
  const std::filesystem::path worker = tool("tilewise-worker-cuda");
  if (!std::filesystem::exists(worker)) {
    throw CannotGrade(tr(
        "this build has no cuda backend, since there was no nvcc when it was configured; install "
        "the CUDA Toolkit, remove the folder build and run again, or use --backend simt"));
  }
  try {
    cuda_compiler();
  } catch (const std::runtime_error& error) {
    throw CannotGrade(error.what());
  }
  GpuChoice choice;
  if (user == GpuUser::this_process) choice = choose_gpu(device);
  Command probe;
  probe.arguments = {worker, "--probe"};
  probe.time_limit_s = 60;  // a driver that must start first takes seconds
  const CommandResult result = run_command(probe);
  if (!result.succeeded()) {
    throw CannotGrade(tr("--backend cuda: ") +
                      (result.output.empty() ? describe_ending(result) + tr("; use --backend simt")
                                             : first_line(result.output)));
  }
  return {Backend::cuda, name_among(first_line(result.output), choice.gpu, choice.gpus_of_machine)};
}

ChosenBackend simt(const std::string& gpu) {
  if (!std::filesystem::exists(tool("tilewise-worker-simt"))) {
    throw CannotGrade(tr("this build has no simulator; configure it with TILEWISE_SIMT=ON"));
  }
  return {Backend::simt, modelled_device(gpu)};
}

}  // namespace

std::string modelled_device(const std::string& gpu) { return gpu + " (modelled)"; }

ChosenBackend choose_backend(const Run& run, GpuUser user) {
  const std::string gpu = core::gpu_profile(run.gpu).id;  // an unknown profile is always an error
  if (run.backend == "cuda") return cuda(run.device, user);
  if (run.backend == "simt") return simt(gpu);
  try {
    return cuda(run.device, user);
  } catch (const CannotGrade&) {
    if (run.device != "auto") throw;  // a GPU was asked for
    return simt(gpu);
  }
}

}  // namespace tilewise::grading
