#include "common/gpu/gpu_profile.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <variant>

#include "common/base/files.hpp"
#include "common/base/json.hpp"
#include "common/base/language.hpp"

namespace tilewise::core {

namespace {

using Json = nlohmann::json;

std::filesystem::path course_profiles() { return project_root() / "common/gpu/gpus.json"; }

/// A number that gpus.json has for each card. The bounds keep sums of the model sound; no card
/// comes near them.
struct Key {
  const char* name;
  std::variant<int GpuProfile::*, std::size_t GpuProfile::*, double GpuProfile::*> member;
  double least = 1;
  double most = 1e6;
  bool may_be_missing = false;
};

constexpr double terabyte = 1e12;

const Key keys[] = {
    {"sms", &GpuProfile::sms},
    {"fp32_lanes_per_sm", &GpuProfile::fp32_lanes_per_sm},
    {"fp64_lanes_per_sm", &GpuProfile::fp64_lanes_per_sm, 0, 1e6, true},
    {"clock_mhz", &GpuProfile::clock_mhz},
    {"dram_gb_s", &GpuProfile::dram_gb_s},
    {"dram_partitions", &GpuProfile::dram_partitions, 8, 8, true},  // the simulator has GT200's
    {"partition_bytes", &GpuProfile::partition_bytes, 256, 256, true},
    {"l2_bytes", &GpuProfile::l2_bytes, 0, terabyte},
    {"shared_bytes_per_sm", &GpuProfile::shared_bytes_per_sm, 1, terabyte},
    {"shared_bytes_per_block", &GpuProfile::shared_bytes_per_block, 1, terabyte},
    {"registers_per_sm", &GpuProfile::registers_per_sm, 1, 1e9},
    {"threads_per_sm", &GpuProfile::threads_per_sm},
    {"warps_per_sm", &GpuProfile::warps_per_sm},
    {"blocks_per_sm", &GpuProfile::blocks_per_sm},
    {"threads_per_block", &GpuProfile::threads_per_block, 1, 1024},  // the limit of CUDA itself
    {"banks", &GpuProfile::banks, 16, 32},
    {"memory_mhz", &GpuProfile::memory_mhz, 0, 1e6, true},
    {"graphics_mhz", &GpuProfile::graphics_mhz, 0, 1e6, true},
    {"memory_bytes", &GpuProfile::memory_bytes, 0, 1000 * terabyte, true},
};

void demand_known_keys(const Json& fields) {
  std::string missing;
  for (const char* name : {"name", "compute_capability"}) {
    if (!fields.contains(name)) missing += std::string(missing.empty() ? "" : ", ") + name;
  }
  for (const Key& key : keys) {
    if (key.may_be_missing || fields.contains(key.name)) continue;
    missing += std::string(missing.empty() ? "" : ", ") + key.name;
  }
  std::string unknown;
  for (const auto& [name, value] : fields.items()) {
    if (name == "name" || name == "compute_capability" || name == "memory") continue;
    if (std::ranges::find(keys, name, &Key::name) != std::end(keys)) continue;
    unknown += (unknown.empty() ? "" : ", ") + json_text(Json(name));
  }
  if (missing.empty() && unknown.empty()) return;
  throw std::runtime_error(
      (missing.empty() ? "" : tr("missing: {}", missing)) +
      (missing.empty() || unknown.empty() ? "" : "; ") +
      (unknown.empty() ? ""
                       : tr("unknown: {} (common/gpu/gpus.json shows all there are)", unknown)));
}

void read(const Json& fields, const Key& key, GpuProfile& gpu) {
  if (!fields.contains(key.name)) return;
  const Json& value = fields.at(key.name);
  std::visit(
      [&](auto member) {
        using Number = std::remove_reference_t<decltype(gpu.*member)>;
        const bool whole = !std::is_same_v<Number, double>;
        const double number = value.is_number() ? value.get<double>() : -1;
        if (!value.is_number() || (whole && !value.is_number_integer()) ||
            !(number >= key.least && number <= key.most)) {
          throw std::runtime_error(
              whole ? tr("{} is {}, expected a whole number from {:.0f} to {:.0f}", key.name,
                         json_text(value), key.least, key.most)
                    : tr("{} is {}, expected a number from {:.0f} to {:.0f}", key.name,
                         json_text(value), key.least, key.most));
        }
        gpu.*member = value.get<Number>();
      },
      key.member);
}

GpuProfile parse(const std::string& id, const Json& fields) {
  if (!fields.is_object()) throw std::runtime_error(tr("it is no object of a card's figures"));
  demand_known_keys(fields);
  GpuProfile gpu;
  gpu.id = id;
  gpu.name = strict::text(fields, "name");
  const std::string capability = strict::text(fields, "compute_capability");
  int length = 0;
  if (std::sscanf(capability.c_str(), "%2d.%1d%n", &gpu.compute_major, &gpu.compute_minor,
                  &length) != 2 ||
      length != static_cast<int>(capability.size()) || gpu.compute_major < 1 ||
      gpu.compute_minor < 0) {
    throw std::runtime_error(tr("compute_capability \"{}\" is not MAJOR.MINOR", capability));
  }
  if (fields.contains("memory")) gpu.memory = strict::text(fields, "memory");
  for (const Key& key : keys) read(fields, key, gpu);
  return gpu;
}

GpuProfile card_in(const std::filesystem::path& file) {
  const std::vector<GpuProfile> cards = load_gpu_profiles(file);
  if (cards.size() != 1) {
    throw std::runtime_error(
        tr("{} has {} cards; a file for --gpu has one", file.string(), cards.size()));
  }
  const GpuProfile& card = cards.front();
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  };
  if (card.id.empty() || !std::ranges::all_of(card.id, is_plain)) {
    throw std::runtime_error(tr("{}: a card is called by letters, digits, _ and -", file.string()));
  }
  if (is_of_the_course(card)) {
    throw std::runtime_error(tr("{}: {} is a card of the course's own; give this one another name",
                                file.string(), card.id));
  }
  return card;
}

}  // namespace

std::vector<GpuProfile> load_gpu_profiles(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) {
    throw std::runtime_error(tr("cannot read the GPU profiles in {}", file.string()));
  }
  try {
    return gpu_profiles_in(Json::parse(stream));
  } catch (const std::exception& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}

std::vector<GpuProfile> gpu_profiles_in(const Json& document) {
  if (!document.is_object()) throw std::runtime_error("it is no object of cards");
  std::vector<GpuProfile> profiles;
  for (const auto& [id, fields] : document.items()) {
    if (id.starts_with('_')) continue;
    try {
      profiles.push_back(parse(id, fields));
    } catch (const std::exception& error) {
      throw std::runtime_error(tr("profile \"{}\": {}", id, error.what()));
    }
  }
  return profiles;
}

nlohmann::ordered_json card_document(const GpuProfile& gpu) {
  nlohmann::ordered_json fields = {{"name", gpu.name},
                                   {"compute_capability", std::to_string(gpu.compute_major) + "." +
                                                              std::to_string(gpu.compute_minor)}};
  if (!gpu.memory.empty()) fields["memory"] = gpu.memory;
  for (const Key& key : keys) {
    std::visit(
        [&](auto member) {
          if (gpu.*member != 0 || !key.may_be_missing) fields[key.name] = gpu.*member;
        },
        key.member);
  }
  return {{gpu.id, fields}};
}

bool is_card_file(const std::string& gpu) { return gpu.ends_with(".json"); }

bool is_of_the_course(const GpuProfile& gpu) {
  const std::vector<GpuProfile> profiles = load_gpu_profiles(course_profiles());
  return std::ranges::find(profiles, gpu.id, &GpuProfile::id) != profiles.end();
}

GpuProfile gpu_profile(const std::string& gpu) {
  if (is_card_file(gpu)) return card_in(gpu);
  std::string known;
  for (const GpuProfile& profile : load_gpu_profiles(course_profiles())) {
    if (profile.id == gpu) return profile;
    known += (known.empty() ? "" : ", ") + profile.id;
  }
  throw std::runtime_error(
      tr("no GPU profile is called \"{}\"; known are {}, and FILE.json describes another card", gpu,
         known));
}

}  // namespace tilewise::core
