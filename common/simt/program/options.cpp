#include "common/simt/program/options.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace tilewise::program {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_set(const char* name) { return variable(name) == "1"; }

template <std::size_t n>
bool is_one_of(const std::string& kind, const std::array<std::string_view, n>& kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

}  // namespace

Options options_from_environment() {
  Options options;
  options.tool = variable("TILEWISE_TOOL");
  if (const std::string code = variable("TILEWISE_ERROR_EXITCODE"); !code.empty()) {
    options.error_exitcode = std::atoi(code.c_str());
  }
  options.output = variable("TILEWISE_OUTPUT");
  options.events = variable("TILEWISE_EVENTS");
  options.gpu = variable("TILEWISE_GPU");
  options.profile = is_set("TILEWISE_PROFILE");
  options.api_errors = variable("TILEWISE_API_ERRORS") != "0";
  options.survives = is_set("TILEWISE_DEVICE_SURVIVES");
  options.leaks = is_set("TILEWISE_LEAK_CHECK");
  options.fast = is_set("TILEWISE_FAST");
  return options;
}

bool belongs_to(const std::string& tool, const std::string& kind) {
  static constexpr std::array<std::string_view, 2> races = {"race", "warp-race"};
  static constexpr std::array<std::string_view, 2> reads = {"uninitialised", "above-diagonal"};
  static constexpr std::array<std::string_view, 3> waits = {"barrier", "warp", "deadlock"};
  if (is_one_of(kind, races)) return tool == "racecheck";
  if (is_one_of(kind, reads)) return tool == "initcheck";
  if (is_one_of(kind, waits)) return tool == "synccheck";
  return tool == "memcheck";
}

}  // namespace tilewise::program
