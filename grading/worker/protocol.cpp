#include "grading/worker/protocol.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

#include "common/base/json.hpp"

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
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Timing, warmups, repetitions, calls)

namespace {

constexpr const char* kind_names[] = {"started", "loaded",        "warmed_up", "returned",
                                      "failed",  "kernel_failed", "refused",   "tampered"};

/// No honest count comes near this, and a few counts of this size can be added without overflow.
constexpr std::int64_t largest_count = std::int64_t{1} << 53;

constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

// each_field() lists the fields of each type that a worker reports, for both writing and reading.
// It calls field(name, member), and for a list also passes the most items that it may have.

template <class Type, class Wanted>
concept Is = std::same_as<std::remove_const_t<Type>, Wanted>;

void each_field(Is<LaunchInfo> auto& launch, auto&& field) {
  field("kernel", launch.kernel);
  field("grid", launch.grid);
  field("block", launch.block);
  field("dynamic_shared_bytes", launch.dynamic_shared_bytes);
  field("file", launch.file);
  field("line", launch.line);
  field("static_shared_bytes", launch.static_shared_bytes);
  field("argument_bytes", launch.argument_bytes);
}

void each_field(Is<simt::LineCounters> auto& line, auto&& field) {
  field("file", line.file);
  field("line", line.line);
  field("counters", line.counters);
}

void each_field(Is<simt::Footprint> auto& footprint, auto&& field) {
  field("load_sectors", footprint.load_sectors);
  field("shared_along_x", footprint.shared_along_x);
  field("shared_along_y", footprint.shared_along_y);
  field("store_sectors", footprint.store_sectors);
  field("load_lines", footprint.load_lines);
  field("store_lines", footprint.store_lines);
  field("load_intervals", footprint.load_intervals);
  field("waiting_intervals", footprint.waiting_intervals);
  field("idle_intervals", footprint.idle_intervals);
  field("store_rounds", footprint.store_rounds);
  field("store_bytes", footprint.store_bytes);
  field("copied_bytes", footprint.copied_bytes);
  field("reading_intervals", footprint.reading_intervals);
  field("overlapped_intervals", footprint.overlapped_intervals);
  static_assert(sizeof footprint == 14 * sizeof(std::uint64_t), "a part of it is missing here");
}

void each_field(Is<KernelProfile> auto& profile, auto&& field) {
  field("launch", profile.launch);
  field("static_shared_bytes", profile.static_shared_bytes);
  field("blocks", profile.blocks);
  field("simulated_blocks", profile.simulated_blocks);
  field("counters", profile.counters);
  field("lines", profile.lines, max_listed_lines);
  field("partition_bytes", profile.partition_bytes, max_partitions);
  field("partitions_by_run", profile.partitions_by_run, max_listed_runs);
  field("blocks_a_run", profile.blocks_a_run);
  field("footprint", profile.footprint);
}

void each_field(Is<DeviceInfo> auto& device, auto&& field) {
  field("name", device.name);
  field("compute_major", device.compute_major);
  field("compute_minor", device.compute_minor);
  field("sms", device.sms);
  field("clock_mhz", device.clock_mhz);
  field("dram_gb_s", device.dram_gb_s);
  field("l2_bytes", device.l2_bytes);
}

/// Lists all fields but the kind and the status.
void each_field(Is<WorkerReply> auto& reply, auto&& field) {
  field("status_name", reply.status_name);
  field("launches", reply.launches);
  field("bytes_for_the_host", reply.bytes_for_the_host);
  field("loaded_libraries", reply.loaded_libraries, max_listed);
  field("launch_list", reply.launch_list, max_listed);
  field("findings", reply.findings, max_listed);
  field("profiles", reply.profiles, max_listed);
  field("times_ms", reply.times_ms, any_number);
  field("copies_ms", reply.copies_ms);
  field("trace_bytes", reply.trace_bytes);
  field("message", reply.message);
  field("device", reply.device);
}

template <class Record>
concept HasFields = requires(Record& record) {
  each_field(record, [](auto&&...) {});
};

// Writing.

template <HasFields Record>
Json value_of(const Record& record);
template <class Item>
Json value_of(const std::vector<Item>& items);

template <class Value>
Json value_of(const Value& value) {
  return value;
}

/// Writes only the counters that are not zero, because most source lines make one kind of access.
Json value_of(const simt::Counters& counters) {
  Json values = Json::object();
  for (const NamedCounter& counter : all_counters) {
    if (counters.*counter.value > 0) values[counter.name] = counters.*counter.value;
  }
  return values;
}

Json value_of(const simt::PartitionBytes& run) {
  Json bytes = run.loads;
  for (const std::uint64_t stored : run.stores) bytes.push_back(stored);
  return bytes;
}

template <HasFields Record>
Json value_of(const Record& record) {
  Json object = Json::object();
  each_field(record, [&](const char* name, const auto& member, auto...) {
    object[name] = value_of(member);
  });
  return object;
}

template <class Item>
Json value_of(const std::vector<Item>& items) {
  Json values = Json::array();
  for (const Item& item : items) values.push_back(value_of(item));
  return values;
}

/// Returns the reply with each list cut to its first items, so that the message is not too long.
WorkerReply within_limits(WorkerReply reply) {
  const auto cut = [](auto& list, std::size_t longest) {
    if (list.size() > longest) list.resize(longest);
  };
  cut(reply.loaded_libraries, max_listed);
  cut(reply.launch_list, max_listed);
  cut(reply.findings, max_listed);
  cut(reply.profiles, max_listed);
  std::size_t room_for_lines = max_listed_lines, room_for_runs = max_listed_runs;
  for (KernelProfile& profile : reply.profiles) {
    cut(profile.lines, room_for_lines);
    room_for_lines -= profile.lines.size();
    // All runs stay or none, because a part of them would be taken for all that the launch moved.
    if (profile.partitions_by_run.size() > room_for_runs) profile.partitions_by_run.clear();
    room_for_runs -= profile.partitions_by_run.size();
  }
  return reply;
}

// Reading. Nothing that a worker says is trusted: types and ranges are checked, and a wrong one
// throws a std::runtime_error. `name` is the field's name, for the error's message.

namespace strict = core::strict;

void read(const Json& value, const char* name, std::string& text) {
  if (!value.is_string()) strict::wrong_value(name);
  text = value.get<std::string>();
}

void read(const Json& value, const char* name, int& number) {
  number = static_cast<int>(strict::in_range(value, name, 0, std::numeric_limits<int>::max()));
}

void read(const Json& value, const char* name, std::unsigned_integral auto& number) {
  number = static_cast<std::uint64_t>(strict::in_range(value, name, 0, largest_count));
}

void read(const Json& value, const char* name, double& number) {
  number = strict::non_negative(value, name);
}

void read(const Json& values, const char* name, simt::Counters& counters) {
  if (!values.is_object()) strict::wrong_value(name);
  for (const NamedCounter& counter : all_counters) {
    if (!values.contains(counter.name)) continue;
    read(values[counter.name], counter.name, counters.*counter.value);
  }
}

void read(const Json& values, const char* name, simt::PartitionBytes& run) {
  if (!values.is_array() || values.size() != run.loads.size() + run.stores.size()) {
    strict::wrong_value(name);
  }
  auto value = values.begin();
  for (auto* bytes : {&run.loads, &run.stores}) {
    for (std::uint64_t& of_partition : *bytes) read(*value++, name, of_partition);
  }
}

/// A worker may not fill in the hint, call and matrix of a finding; only the examiner does.
void read(const Json& value, const char* name, Finding& finding) {
  finding = value.get<Finding>();
  if (!finding.hint.empty() || !finding.call.empty() || !finding.matrix.empty()) {
    strict::wrong_value(name);
  }
}

template <HasFields Record>
void read(const Json& object, const char* name, Record& record);

struct FieldReader {
  const Json& object;

  void operator()(const char* name, std::array<unsigned, 3>& extents) const {
    extents = strict::extents(object, name);
  }

  template <class Value>
  void operator()(const char* name, Value& value) const {
    read(strict::member(object, name), name, value);
  }

  template <class Item>
  void operator()(const char* name, std::vector<Item>& items, std::size_t longest) const {
    for (const Json& value : strict::list(object, name, longest)) {
      read(value, name, items.emplace_back());
    }
  }
};

template <HasFields Record>
void read(const Json& object, const char* name, Record& record) {
  if (!object.is_object()) strict::wrong_value(name);
  each_field(record, FieldReader{object});
  if constexpr (std::same_as<Record, KernelProfile>) {
    if (record.blocks_a_run == 0) strict::wrong_value("blocks_a_run");
  }
}

WorkerReply read_reply(const Json& json, const std::string& token, std::uint64_t sequence) {
  if (!json.is_object()) throw std::runtime_error("it is no JSON object");
  if (strict::text(json, "token") != token) throw std::runtime_error("its token is forged");
  if (strict::size(json, "sequence") != sequence) throw std::runtime_error("it is out of turn");
  WorkerReply reply;
  const std::string kind = strict::text(json, "kind");
  const auto* const known = std::find(std::begin(kind_names), std::end(kind_names), kind);
  if (known == std::end(kind_names)) strict::wrong_value("kind");
  reply.kind = static_cast<WorkerReply::Kind>(known - std::begin(kind_names));
  reply.status = static_cast<int>(strict::integer(json, "status", std::numeric_limits<int>::min(),
                                                  std::numeric_limits<int>::max()));
  each_field(reply, FieldReader{json});
  return reply;
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
      // A real number is sent as its bits, because JSON has no infinities and no NaN.
      arguments.push_back({{"real_bits", std::bit_cast<std::uint64_t>(*real)}});
    } else {
      arguments.push_back({{"extent", std::get<std::array<unsigned, 3>>(argument)}});
    }
  }
  Json json = {{"function", request.function}, {"arguments", arguments}};
  if (request.timing) json["timing"] = *request.timing;
  if (request.watch) json["watch"] = *request.watch;
  if (request.variant != 0) json["variant"] = request.variant;
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
  if (json.contains("variant")) json["variant"].get_to(request.variant);
  return request;
}

std::string encode(const WorkerReply& reply, const std::string& token, std::uint64_t sequence) {
  Json message = value_of(within_limits(reply));
  message["token"] = token;
  message["sequence"] = sequence;
  message["kind"] = kind_names[static_cast<int>(reply.kind)];
  message["status"] = reply.status;
  return core::json_text(message);
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
