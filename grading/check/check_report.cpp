#include "grading/check/check_report.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "common/simt/program/options.hpp"
#include "grading/check/check.hpp"
#include "grading/profile/profile_report.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_profiles = 32;

simt::LaunchRecord launch_of(const nlohmann::json& json) {
  return {.kernel = json.at("kernel"),
          .grid = json.at("grid"),
          .block = json.at("block"),
          .dynamic_shared_bytes = json.at("dynamic_shared_bytes"),
          .file = json.at("file"),
          .line = json.at("line")};
}

bool is_the_same(const simt::LaunchRecord& a, const simt::LaunchRecord& b) {
  const auto facts = [](const simt::LaunchRecord& launch) {
    return std::tie(launch.kernel, launch.grid, launch.block, launch.dynamic_shared_bytes,
                    launch.file, launch.line);
  };
  return facts(a) == facts(b);
}

simt::Counters counters_of(const nlohmann::json& json) {
  simt::Counters counters;
  for (const simt::NamedCounter& counter : simt::all_counters) {
    counters.*counter.value = json.at(counter.name);
  }
  return counters;
}

simt::KernelProfile profile_of(const nlohmann::json& json) {
  simt::KernelProfile profile;
  profile.launch = launch_of(json);
  profile.static_shared_bytes = json.at("static_shared_bytes");
  profile.blocks = json.at("blocks");
  profile.simulated_blocks = json.at("simulated_blocks");
  profile.counters = counters_of(json.at("counters"));
  for (const nlohmann::json& line : json.at("lines")) {
    profile.lines.push_back({line.at("file"), line.at("line"), counters_of(line.at("counters"))});
  }
  return profile;
}

class EventReader {
 public:
  CheckReport read(const std::filesystem::path& file) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      try {
        take(nlohmann::json::parse(line));
      } catch (const nlohmann::json::exception&) {
        break;  // the program ended in the middle of a line
      }
    }
    return std::move(report_);
  }

 private:
  void take(const nlohmann::json& event) {
    if (event.contains("finding")) {
      report_.findings.push_back({event["finding"].get<core::Finding>()});
    } else if (event.contains("again")) {
      ++report_.findings.at(event["again"].get<std::size_t>()).times;
    } else if (event.contains("launch")) {
      add(launch_of(event["launch"]));
    } else if (event.contains("profile") && report_.profiles.size() < most_profiles) {
      add(profile_of(event["profile"]));
    }
  }

  void add(simt::LaunchRecord launch) {
    for (CheckReport::Launched& known : report_.launches) {
      if (!is_the_same(known.launch, launch)) continue;
      ++known.times;
      return;
    }
    report_.launches.push_back({std::move(launch)});
  }

  void add(simt::KernelProfile profile) {
    const bool is_known = std::ranges::any_of(report_.profiles, [&](const auto& known) {
      return is_the_same(known.launch, profile.launch);
    });
    if (!is_known) report_.profiles.push_back(std::move(profile));
  }

  CheckReport report_;
};

std::string_view tool_of(const std::string& kind) {
  for (const std::string_view tool : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
    if (program::belongs_to(std::string(tool), kind)) return tool;
  }
  return "";
}

}  // namespace

std::size_t CheckReport::launch_count() const {
  std::size_t count = 0;
  for (const Launched& launched : launches) count += launched.times;
  return count;
}

CheckReport read_check_events(const std::filesystem::path& file) {
  return EventReader().read(file);
}

std::string check_json(const CheckReport& report, const CheckOptions& options) {
  Json findings = Json::array();
  for (const CheckReport::Found& found : report.findings) {
    Json json = nlohmann::json(found.finding);
    json["tool"] = tool_of(found.finding.kind);
    json["times"] = found.times;
    findings.push_back(json);
  }
  Json launches = Json::array();
  for (const CheckReport::Launched& launched : report.launches) {
    const simt::LaunchRecord& launch = launched.launch;
    launches.push_back({{"kernel", launch.kernel},
                        {"grid", launch.grid},
                        {"block", launch.block},
                        {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
                        {"file", launch.file},
                        {"line", launch.line},
                        {"times", launched.times}});
  }
  Json files = Json::array();
  for (const auto& source : options.words.sources) files.push_back(source.string());
  Json document = {{"schema", "tilewise/check/v1"},
                   {"gpu", options.gpu},
                   {"files", files},
                   {"arguments", options.words.arguments},
                   {"exit_status", report.exit_status},
                   {"timed_out", report.timed_out},
                   {"findings", findings},
                   {"launches", launches}};
  if (options.profile) {
    ProfileReport profile;
    profile.gpu = core::gpu_profile(options.gpu);
    profile.kernels = report.profiles;
    document["kernels"] = profile_document(profile).at("kernels");
  }
  return to_file(document);
}

std::span<const std::string_view> own_options_of_check() {
  static constexpr auto options = std::to_array<std::string_view>(
      {"--tool", "--error-exitcode", "--report-api-errors", "--destroy-on-device-error", "--output",
       "--json", "--gpu", "--fast", "--profile", "--time-limit", "--leak-check"});
  return options;
}

}  // namespace tilewise::grading
