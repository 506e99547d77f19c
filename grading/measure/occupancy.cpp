#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <nlohmann/json.hpp>

#include "common/base/catalogue.hpp"
#include "common/base/language.hpp"
#include "grading/cli/submission.hpp"
#include "grading/measure/commands.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/profile/occupancy_report.hpp"
#include "grading/results/files.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {
namespace {

using Gpus = std::vector<core::GpuProfile>;

/// Returns each profile once, in the order named.
Gpus profiles_of(const std::vector<std::string>& ids) {
  Gpus gpus;
  for (const std::string& id : ids) {
    if (std::ranges::find(gpus, id, &core::GpuProfile::id) == gpus.end()) {
      gpus.push_back(core::gpu_profile(id));
    }
  }
  return gpus;
}

/// Reads "16x16". A single number is refused, because it could mean 16x1 or 16x16.
std::array<unsigned, 2> two_sides(const std::string& text, const char* option) {
  const auto extent = extent_in(text);
  if (!extent || (*extent)[2] != 1 || text.find('x') == text.npos) {
    throw CannotGrade(tr("{}: '{}' is no pair of numbers along x and y, as 16x8", option, text));
  }
  return {(*extent)[0], (*extent)[1]};
}

/// Reads the block's shape and checks that at least one of the GPUs takes as many threads.
std::array<int, 2> read_block(const std::string& text, const Gpus& gpus) {
  const auto [x, y] = two_sides(text, "--block");
  const std::uint64_t threads = std::uint64_t{x} * y;
  const auto largest = std::ranges::max_element(gpus, {}, &core::GpuProfile::threads_per_block);
  if (threads < 1 || threads > static_cast<std::uint64_t>(largest->threads_per_block)) {
    throw CannotGrade(tr("--block: {}x{} are {} threads; {} takes 1 to {} a block", x, y, threads,
                         largest->name, largest->threads_per_block));
  }
  return {static_cast<int>(x), static_cast<int>(y)};
}

std::array<int, 2> read_results(const std::string& text) {
  const auto [rx, ry] = two_sides(text, "--results");
  // The registers of any GPU hold far fewer results.
  constexpr unsigned most = 1024;
  if (std::min(rx, ry) < 1 || std::max(rx, ry) > most) {
    throw CannotGrade(
        tr("--results: a thread has 1 to {} results along x and along y, not {}x{}", most, rx, ry));
  }
  return {static_cast<int>(rx), static_cast<int>(ry)};
}

void demand_that_one_can_run(const OccupancyReport& report) {
  std::vector<std::string> reasons;
  for (const OccupancyOnGpu& answer : report.gpus) {
    if (answer.occupancy.cannot_run.empty()) return;
    reasons.push_back(answer.occupancy.cannot_run);
  }
  throw CannotGrade(tr("the launch cannot run: {}", fmt::join(reasons, "; ")));
}

}  // namespace

void occupancy(const OccupancyOptions& options) {
  if (!options.json.empty()) core::speak_english();
  const Gpus gpus = profiles_of(options.gpus);
  const OccupancyQuestion question{read_block(options.block, gpus), read_results(options.results),
                                   options.registers, options.shared, options.blocks};
  demand_writable(options.json);
  const OccupancyReport report = occupancy_report(question, gpus);
  // The file is written before the check, so that programs that read it find the reason there, too.
  write_output(options.json, to_file(occupancy_document(report)));
  demand_that_one_can_run(report);
  std::cout << occupancy_table(report) << std::flush;
}

}  // namespace tilewise::grading
