#include "grading/worker/protocol.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/core/json.hpp"

using Json = nlohmann::json;

namespace tilewise::core {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuProfile, id, name, compute_major, compute_minor, sms,
                                   fp32_lanes_per_sm, fp64_lanes_per_sm, clock_mhz, dram_gb_s,
                                   l2_bytes, shared_bytes_per_sm, shared_bytes_per_block,
                                   registers_per_sm, threads_per_sm, warps_per_sm, blocks_per_sm,
                                   threads_per_block, banks)
}  // namespace tilewise::core

namespace tilewise::simt {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Watch, checks, counters, sample, estimate, trace, order, seed)
}  // namespace tilewise::simt

namespace tilewise::grading {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Hello, token, module, profile, writes_coverage)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BufferArgument, offset, image_bytes, payload_offset,
                                   payload_bytes, name, read_only, uninitialised, element_bytes,
                                   row_elements, lower_triangular, device_only)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Timing, warmups, repetitions)

namespace {

constexpr const char* kind_names[] = {"started", "loaded",  "warmed_up", "returned",
                                      "failed",  "refused", "tampered"};

using namespace core::strict;  // nothing that a worker says is trusted

Json to_value(const LaunchInfo& launch) {
  return {{"kernel", launch.kernel},
          {"grid", launch.grid},
          {"block", launch.block},
          {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
          {"file", launch.file},
          {"line", launch.line},
          {"static_shared_bytes", launch.static_shared_bytes}};
}

LaunchInfo read_launch(const Json& json) {
  LaunchInfo launch;
  launch.kernel = text(json, "kernel");
  launch.grid = extents(json, "grid");
  launch.block = extents(json, "block");
  launch.dynamic_shared_bytes = size(json, "dynamic_shared_bytes");
  launch.file = text(json, "file");
  launch.line = small_integer(json, "line");
  launch.static_shared_bytes = size(json, "static_shared_bytes");
  return launch;
}

Json to_value(const Finding& finding) { return finding; }

/// What to do about it, and which call it was, is the examiner's to say.
Finding read_finding(const Json& json) {
  Finding finding = json.get<Finding>();
  if (!finding.hint.empty() || !finding.call.empty() || !finding.matrix.empty()) {
    wrong_value("findings");
  }
  return finding;
}

/// Those that are not zero: most lines of source make one kind of access.
Json to_value(const simt::Counters& counters) {
  Json values = Json::object();
  for (const NamedCounter& counter : all_counters) {
    if (counters.*counter.value > 0) values[counter.name] = counters.*counter.value;
  }
  return values;
}

/// No honest count comes near it, and a few of them can be added up.
constexpr std::int64_t largest_count = std::int64_t{1} << 53;

std::uint64_t count(const Json& object, const char* name) {
  return static_cast<std::uint64_t>(integer(object, name, 0, largest_count));
}

simt::Counters read_counters(const Json& object, const char* name) {
  const Json& values = member(object, name);
  if (!values.is_object()) wrong_value(name);
  simt::Counters counters;
  for (const NamedCounter& counter : all_counters) {
    if (values.contains(counter.name)) counters.*counter.value = count(values, counter.name);
  }
  return counters;
}

Json to_value(const simt::LineCounters& line) {
  return {{"file", line.file}, {"line", line.line}, {"counters", to_value(line.counters)}};
}

simt::LineCounters read_line(const Json& json) {
  return {text(json, "file"), small_integer(json, "line"), read_counters(json, "counters")};
}

struct NamedFootprint {
  const char* name;
  std::uint64_t simt::Footprint::*value;
};

constexpr NamedFootprint whole_footprint[] = {
    {"load_sectors", &simt::Footprint::load_sectors},
    {"shared_along_x", &simt::Footprint::shared_along_x},
    {"shared_along_y", &simt::Footprint::shared_along_y},
    {"store_sectors", &simt::Footprint::store_sectors},
    {"load_lines", &simt::Footprint::load_lines},
    {"store_lines", &simt::Footprint::store_lines},
    {"load_intervals", &simt::Footprint::load_intervals},
    {"waiting_intervals", &simt::Footprint::waiting_intervals},
};
static_assert(sizeof(simt::Footprint) == std::size(whole_footprint) * sizeof(std::uint64_t),
              "a part of the footprint is missing here");

Json to_value(const simt::Footprint& footprint) {
  Json values = Json::object();
  for (const auto& [name, value] : whole_footprint) values[name] = footprint.*value;
  return values;
}

simt::Footprint read_footprint(const Json& values) {
  simt::Footprint footprint;
  for (const auto& [name, value] : whole_footprint) footprint.*value = count(values, name);
  return footprint;
}

using OfPartitions = std::array<std::uint64_t, simt::dram_partitions>;

Json to_value(const simt::PartitionBytes& run) {
  Json bytes = run.loads;
  for (const std::uint64_t stored : run.stores) bytes.push_back(stored);
  return bytes;
}

simt::PartitionBytes read_run(const Json& json) {
  constexpr const char* name = "partitions_by_run";
  simt::PartitionBytes run;
  if (!json.is_array() || json.size() != run.loads.size() + run.stores.size()) wrong_value(name);
  auto value = json.begin();
  for (OfPartitions* bytes : {&run.loads, &run.stores}) {
    for (std::uint64_t& of_partition : *bytes) {
      of_partition = static_cast<std::uint64_t>(in_range(*value++, name, 0, largest_count));
    }
  }
  return run;
}

/// What may still be listed in a reply; what is listed is taken off.
struct RoomForProfiles {
  std::size_t lines = max_listed_lines;
  std::size_t runs = max_listed_runs;
};

Json lines_of(const KernelProfile& profile, RoomForProfiles& room) {
  Json lines = Json::array();
  for (const simt::LineCounters& line : profile.lines) {
    if (room.lines == 0) break;
    --room.lines;
    lines.push_back(to_value(line));
  }
  return lines;
}

/// All or none: some of them would be taken for all that the launch moved.
Json runs_of(const KernelProfile& profile, RoomForProfiles& room) {
  Json runs = Json::array();
  if (profile.partitions_by_run.size() > room.runs) return runs;
  room.runs -= profile.partitions_by_run.size();
  for (const simt::PartitionBytes& run : profile.partitions_by_run) runs.push_back(to_value(run));
  return runs;
}

Json to_value(const KernelProfile& profile, RoomForProfiles& room) {
  return {{"launch", to_value(profile.launch)},
          {"static_shared_bytes", profile.static_shared_bytes},
          {"blocks", profile.blocks},
          {"simulated_blocks", profile.simulated_blocks},
          {"counters", to_value(profile.counters)},
          {"lines", lines_of(profile, room)},
          {"partition_bytes", profile.partition_bytes},
          {"partitions_by_run", runs_of(profile, room)},
          {"blocks_a_run", profile.blocks_a_run},
          {"footprint", to_value(profile.footprint)}};
}

KernelProfile read_profile(const Json& json) {
  KernelProfile profile;
  profile.launch = read_launch(member(json, "launch"));
  profile.static_shared_bytes = size(json, "static_shared_bytes");
  profile.blocks = count(json, "blocks");
  profile.simulated_blocks = count(json, "simulated_blocks");
  profile.counters = read_counters(json, "counters");
  for (const Json& line : list(json, "lines", max_listed_lines)) {
    profile.lines.push_back(read_line(line));
  }
  for (const Json& bytes : list(json, "partition_bytes", max_partitions)) {
    profile.partition_bytes.push_back(
        static_cast<std::uint64_t>(in_range(bytes, "partition_bytes", 0, largest_count)));
  }
  for (const Json& run : list(json, "partitions_by_run", max_listed_runs)) {
    profile.partitions_by_run.push_back(read_run(run));
  }
  profile.blocks_a_run =
      static_cast<std::uint64_t>(integer(json, "blocks_a_run", 1, largest_count));
  profile.footprint = read_footprint(member(json, "footprint"));
  return profile;
}

Json to_value(const DeviceInfo& device) {
  return {{"name", device.name},
          {"compute_major", device.compute_major},
          {"compute_minor", device.compute_minor},
          {"sms", device.sms},
          {"clock_mhz", device.clock_mhz},
          {"dram_gb_s", device.dram_gb_s},
          {"l2_bytes", device.l2_bytes}};
}

DeviceInfo read_device(const Json& json) {
  DeviceInfo device;
  device.name = text(json, "name");
  device.compute_major = small_integer(json, "compute_major");
  device.compute_minor = small_integer(json, "compute_minor");
  device.sms = small_integer(json, "sms");
  device.clock_mhz = non_negative(member(json, "clock_mhz"), "clock_mhz");
  device.dram_gb_s = non_negative(member(json, "dram_gb_s"), "dram_gb_s");
  device.l2_bytes = size(json, "l2_bytes");
  return device;
}

WorkerReply read_reply(const Json& json, const std::string& token, std::uint64_t sequence) {
  if (!json.is_object()) throw std::runtime_error("it is no JSON object");
  if (text(json, "token") != token) throw std::runtime_error("its token is forged");
  if (size(json, "sequence") != sequence) throw std::runtime_error("it is out of turn");
  WorkerReply reply;
  const std::string kind = text(json, "kind");
  const auto* const known = std::find(std::begin(kind_names), std::end(kind_names), kind);
  if (known == std::end(kind_names)) wrong_value("kind");
  reply.kind = static_cast<WorkerReply::Kind>(known - std::begin(kind_names));
  reply.status = static_cast<int>(
      integer(json, "status", std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
  reply.status_name = text(json, "status_name");
  reply.launches = small_integer(json, "launches");
  reply.bytes_for_the_host = size(json, "bytes_for_the_host");
  for (const Json& library : list(json, "loaded_libraries", max_listed)) {
    if (!library.is_string()) wrong_value("loaded_libraries");
    reply.loaded_libraries.push_back(library.get<std::string>());
  }
  for (const Json& launch : list(json, "launch_list", max_listed)) {
    reply.launch_list.push_back(read_launch(launch));
  }
  for (const Json& finding : list(json, "findings", max_listed)) {
    reply.findings.push_back(read_finding(finding));
  }
  for (const Json& profile : list(json, "profiles", max_listed)) {
    reply.profiles.push_back(read_profile(profile));
  }
  for (const Json& ms : list(json, "times_ms")) {
    reply.times_ms.push_back(non_negative(ms, "times_ms"));
  }
  reply.trace_bytes = size(json, "trace_bytes");
  reply.message = text(json, "message");
  reply.device = read_device(member(json, "device"));
  return reply;
}

template <class T>
Json to_values(const std::vector<T>& items) {
  Json values = Json::array();
  for (std::size_t i = 0; i < items.size() && i < max_listed; ++i) {
    values.push_back(to_value(items[i]));
  }
  return values;
}

Json to_values(const std::vector<KernelProfile>& profiles) {
  Json values = Json::array();
  RoomForProfiles room;
  for (std::size_t i = 0; i < profiles.size() && i < max_listed; ++i) {
    values.push_back(to_value(profiles[i], room));
  }
  return values;
}

}  // namespace

std::size_t trace_offset(std::span<const Argument> arguments) {
  std::size_t end = 0;
  for (const Argument& argument : arguments) {
    const auto* buffer = std::get_if<BufferArgument>(&argument);
    if (buffer == nullptr || buffer->device_only) continue;
    end = std::max(end, buffer->offset + buffer->image_bytes);
  }
  return end;
}

std::string encode(const Hello& hello) { return core::json_text(Json(hello)); }

Hello decode_hello(std::string_view message) { return Json::parse(message).get<Hello>(); }

std::string encode(const CallRequest& request) {
  Json arguments = Json::array();
  for (const Argument& argument : request.arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
      arguments.push_back({{"buffer", *buffer}});
    } else if (const auto* number = std::get_if<std::int64_t>(&argument)) {
      arguments.push_back({{"integer", *number}});
    } else if (const auto* real = std::get_if<double>(&argument)) {
      // Not as a number: JSON has no infinities and no NaN.
      arguments.push_back({{"real_bits", std::bit_cast<std::uint64_t>(*real)}});
    } else {
      arguments.push_back({{"extent", std::get<std::array<unsigned, 3>>(argument)}});
    }
  }
  Json json = {{"function", request.function}, {"arguments", arguments}};
  if (request.timing) json["timing"] = *request.timing;
  if (request.watch) json["watch"] = *request.watch;
  return core::json_text(json);
}

CallRequest decode_call(std::string_view message) {
  const Json json = Json::parse(message);
  CallRequest request;
  json.at("function").get_to(request.function);
  for (const Json& argument : json.at("arguments")) {
    if (argument.contains("buffer")) {
      request.arguments.push_back(argument["buffer"].get<BufferArgument>());
    } else if (argument.contains("integer")) {
      request.arguments.push_back(argument["integer"].get<std::int64_t>());
    } else if (argument.contains("real_bits")) {
      request.arguments.push_back(
          std::bit_cast<double>(argument["real_bits"].get<std::uint64_t>()));
    } else {
      request.arguments.push_back(argument.at("extent").get<std::array<unsigned, 3>>());
    }
  }
  if (json.contains("timing")) request.timing = json["timing"].get<Timing>();
  if (json.contains("watch")) request.watch = json["watch"].get<simt::Watch>();
  return request;
}

std::string encode(const WorkerReply& reply, const std::string& token, std::uint64_t sequence) {
  return core::json_text(Json{{"token", token},
                              {"sequence", sequence},
                              {"kind", kind_names[static_cast<int>(reply.kind)]},
                              {"status", reply.status},
                              {"status_name", reply.status_name},
                              {"launches", reply.launches},
                              {"bytes_for_the_host", reply.bytes_for_the_host},
                              {"loaded_libraries", reply.loaded_libraries},
                              {"launch_list", to_values(reply.launch_list)},
                              {"findings", to_values(reply.findings)},
                              {"profiles", to_values(reply.profiles)},
                              {"times_ms", reply.times_ms},
                              {"trace_bytes", reply.trace_bytes},
                              {"message", reply.message},
                              {"device", to_value(reply.device)}});
}

std::optional<WorkerReply> decode_reply(std::string_view message, const std::string& token,
                                        std::uint64_t sequence, std::string& problem) {
  const Json json = Json::parse(message, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    problem = "it is no JSON";
    return std::nullopt;
  }
  try {
    return read_reply(json, token, sequence);
  } catch (const std::runtime_error& error) {
    problem = error.what();
    return std::nullopt;
  }
}

}  // namespace tilewise::grading
