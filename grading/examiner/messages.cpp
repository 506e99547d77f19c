#include "grading/examiner/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "common/base/language.hpp"
#include "grading/examiner/device_array.hpp"
#include "grading/examiner/fault_advice.hpp"

namespace tilewise::grading {
namespace {

std::string describe_found(float found, const std::optional<Diagnosis>& diagnosis) {
  // Adding to the NaN of an unwritten element leaves its bits as they were.
  const bool may_be_sum = diagnosis && diagnosis->pattern == Pattern::accumulates;
  if (has_bits(found, unwritten_bits) && !may_be_sum) return tr("was never written");
  return tr("is {}", describe_value(found));
}

/// Says whose element it is: "It belongs to block (1, 4), thread (4, 3). ", or as much of that as
/// is known.
std::string describe_owner(const Comparison& comparison, const Mapping& mapping) {
  if (mapping.known == Mapping::Known::nothing) return "";
  const int row = mapping.part ? comparison.row % mapping.part->height : comparison.row;
  const int col = mapping.part ? comparison.col % mapping.part->width : comparison.col;
  const auto [width, height] = mapping.tile;
  const std::string block = mapping.single_block
                                ? tr("It belongs to tile ({}, {})", col / width, row / height)
                                : tr("It belongs to block ({}, {})", col / width, row / height);
  if (mapping.known == Mapping::Known::block) return block + ". ";
  const TileShape threads = mapping.threads.value_or(mapping.tile);
  return tr("{}, thread ({}, {}). ", block, col % width / mapping.results.width % threads.width,
            row % height / mapping.results.height % threads.height);
}

std::string advise_on_status(const std::string& returned, const std::string& expected) {
  if (expected != "cudaSuccess") {
    return tr(
        "Check the arguments before anything is launched or written, and return the error at "
        "once.");
  }
  if (returned == "cudaErrorInvalidValue") {
    return tr(
        "Compare the arguments that the function refuses with those that the contract allows. "
        "If it refuses none of these, look at what its CUDA calls return: cudaFree() takes only "
        "what the function itself has allocated, and copies must stay within their buffers.");
  }
  if (returned == "cudaErrorLaunchOutOfResources") {
    return tr(
        "A block needs more registers, threads times registers each, than an SM has: 65,536 "
        "registers for 1024 threads are 64 each. Tell the compiler how many threads a block of "
        "the kernel has, with __launch_bounds__(threads) after __global__.");
  }
  return tr("The launch itself failed: check the grid, the block and the shared memory asked for.");
}

}  // namespace

std::string doubt_about_launch(const LaunchInfo& launch, TileShape block) {
  const auto is = [](const std::array<unsigned, 3>& extent, TileShape shape) {
    return extent ==
           std::array{static_cast<unsigned>(shape.width), static_cast<unsigned>(shape.height), 1U};
  };
  if (is(launch.block, block)) return "";
  const bool leaves_it_out = is(launch.block, {1, 1}) && launch.grid[1] * launch.grid[2] == 1;
  // If a block has as many threads in another shape, it was not exchanged with the grid.
  const bool has_them_all =
      launch.block[0] * launch.block[1] == static_cast<unsigned>(block.width * block.height);
  const bool changes_places = is(launch.grid, block) && !has_them_all;
  if (!changes_places && !leaves_it_out) return "";
  return tr(
      " The launch on line {} has a grid of {} x {} and blocks of {} x {} threads, and this call "
      "asks for blocks of {} x {}: {}",
      launch.line, launch.grid[0], launch.grid[1], launch.block[0], launch.block[1], block.width,
      block.height,
      changes_places ? tr("is it <<<block, grid>>> where it should be <<<grid, block>>>?")
                     : tr("does it leave the block out, as in kernel<<<grid>>>?"));
}

std::string describe_value(float value) {
  if (std::isnan(value)) return "NaN";
  return fmt::format("{:.9g}", value);  // 9 digits tell any two floats apart
}

std::string describe_value(double value) {
  if (std::isnan(value)) return "NaN";
  return fmt::format("{:.17g}", value);
}

std::string count_wrong(const Comparison& comparison) {
  if (comparison.compared == 1) return tr("It is the only element");
  if (comparison.wrong == comparison.compared) {
    return tr("All {} elements are wrong", comparison.compared);
  }
  return comparison.wrong == 1
             ? tr("1 of {} elements is wrong", comparison.compared)
             : tr("{} of {} elements are wrong", comparison.wrong, comparison.compared);
}

Finding wrong_result(const std::string& call, const Comparison& comparison, const Mapping& mapping,
                     const std::optional<Diagnosis>& diagnosis, const std::string& advice) {
  Finding finding;
  finding.kind = "wrong-result";
  finding.message =
      tr("{}: C[{}][{}] {}, expected {:.9g} (allowed error {:.2g}). {}{}", call, comparison.row,
         comparison.col, describe_found(static_cast<float>(comparison.found), diagnosis),
         comparison.expected, comparison.tolerance, describe_owner(comparison, mapping),
         count_wrong(comparison));
  if (diagnosis) finding.message += ": " + diagnosis->what;
  finding.message += ".";
  finding.hint = diagnosis && !diagnosis->hint.empty() ? diagnosis->hint : advice;
  if (diagnosis) finding.array = diagnosis->input;
  finding.call = call;
  finding.matrix = "C";
  finding.row = comparison.row;
  finding.col = comparison.col;
  return finding;
}

std::string describe_element(const DeviceArray& array, double value) {
  return array.element() != ElementType::float64 ? describe_value(static_cast<float>(value))
                                                 : describe_value(value);
}

Finding changed_input(const std::string& call, const DeviceArray& array,
                      const DeviceArray::Change& change, const std::string& inputs) {
  return {
      .kind = "read-only",
      .message = tr("{} changed its input: {}[{}][{}] was {} and is now {}.", call, array.name(),
                    change.row, change.col, describe_element(array, change.given),
                    describe_element(array, change.found)),
      .hint = tr("{} read only. Look for a store through a wrong pointer, or for arguments in a "
                 "wrong order.",
                 inputs)};
}

Finding written_outside(const std::string& call, const DeviceArray& array,
                        const DeviceArray::GuardDamage& damage, int cols, const std::string& hint) {
  std::string where;
  if (damage.first < 0) {
    where = tr("{} elements before its start", -damage.first);
  } else if (damage.between_rows) {
    where = tr("behind the {} elements of row {}, in the gap before the next row", array.cols(),
               damage.first / array.leading_dimension());
  } else if (cols == 0) {
    where = tr("{} elements behind its start", damage.first);
  } else {
    where = tr("behind its end, where {}[{}][{}] would be", array.name(), damage.first / cols,
               damage.first % cols);
  }
  return {.kind = "out-of-bounds",
          .message = damage.elements == 1
                         ? tr("{} wrote 1 element outside of {}, the first one {}.", call,
                              array.name(), where)
                         : tr("{} wrote {} elements outside of {}, the first one {}.", call,
                              damage.elements, array.name(), where),
          .hint = hint};
}

Finding wrong_status(const std::string& call, const std::string& returned,
                     const std::string& expected, const std::string& reason) {
  const bool launch_failed = expected == "cudaSuccess" && returned != "cudaErrorInvalidValue";
  return {.kind = launch_failed               ? "launch"
                  : expected == "cudaSuccess" ? "status"
                                              : "",
          .message = tr("{} returned {}, expected {}: {}.", call, returned, expected, reason),
          .hint = advise_on_status(returned, expected)};
}

Finding kernel_fault(const std::string& call, const std::vector<Finding>& findings) {
  // Where a __syncthreads() is missing, lanes of one warp race, too; a __syncwarp() alone would not
  // be enough.
  auto told = std::ranges::find_if(findings,
                                   [](const Finding& found) { return found.kind != "warp-race"; });
  if (told == findings.end()) told = findings.begin();
  // A barrier fault or a race explains why a value was missing, which says more than who missed it.
  for (const char* cause : {"barrier", "race"}) {
    const auto found = std::ranges::find(findings, cause, &Finding::kind);
    if (told->kind == "uninitialised" && found != findings.end()) told = found;
  }
  Finding fault = *told;
  fault.message = fmt::format("{}: {}.", call, fault.message);
  if (findings.size() > 1) {
    fault.message += tr(" It is one of {} faults found.", findings.size());
  }
  fault.hint = advise_on(fault);
  return fault;
}

Finding sanitizer_fault(const std::string& call, const std::string& tool,
                        const SanitizerError& error) {
  static const std::map<std::string, std::string> kinds = {{"memcheck", "out-of-bounds"},
                                                           {"racecheck", "race"},
                                                           {"initcheck", "uninitialised"},
                                                           {"synccheck", "barrier"}};
  const auto kind = kinds.find(tool);
  return {.kind = kind == kinds.end() ? "" : kind->second,
          .message = tr("In calls up to {}, compute-sanitizer --tool {} found: {}", call, tool,
                        error.message),
          .hint = tr("Grade with --backend simt as well: the simulator names arrays and indices."),
          .file = error.place.file,
          .line = error.place.line};
}

std::string describe_wrong(double found, bool unwritten) {
  return unwritten ? tr("was never written") : tr("is {}", describe_value(found));
}

Finding wrong_element(const std::string& call, const std::string& matrix,
                      const Comparison& comparison, const std::string& found,
                      const std::string& expected, const std::optional<Diagnosis>& diagnosis,
                      const std::string& advice) {
  Finding finding;
  finding.kind = "wrong-result";
  finding.message = tr("{}: {}[{}][{}] {}, expected {}. {}", call, matrix, comparison.row,
                       comparison.col, found, expected, count_wrong(comparison));
  if (diagnosis) finding.message += ": " + diagnosis->what;
  finding.message += ".";
  finding.hint = diagnosis && !diagnosis->hint.empty() ? diagnosis->hint : advice;
  if (diagnosis) finding.array = diagnosis->input;
  finding.call = call;
  finding.matrix = matrix;
  finding.row = comparison.row;
  finding.col = comparison.col;
  return finding;
}

Finding wrong_double(const std::string& call, const std::string& matrix,
                     const Comparison& comparison, const std::optional<Diagnosis>& diagnosis,
                     const std::string& advice) {
  // A value that is computed from the NaN of an unwritten element may keep its bits.
  const bool was_read = diagnosis && diagnosis->pattern == Pattern::accumulates;
  const bool unwritten = has_bits(comparison.found, unwritten_bits_double) && !was_read;
  return wrong_element(
      call, matrix, comparison, describe_wrong(comparison.found, unwritten),
      tr("{} (allowed error {:.2g})", describe_value(comparison.expected), comparison.tolerance),
      diagnosis, advice);
}

}  // namespace tilewise::grading
