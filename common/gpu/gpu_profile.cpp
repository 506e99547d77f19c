#include "common/gpu/gpu_profile.hpp"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/core/files.hpp"

namespace tilewise::core {

namespace {

GpuProfile parse(const std::string& id, const nlohmann::json& fields) {
  GpuProfile gpu;
  gpu.id = id;
  fields.at("name").get_to(gpu.name);
  const std::string capability = fields.at("compute_capability");
  if (std::sscanf(capability.c_str(), "%d.%d", &gpu.compute_major, &gpu.compute_minor) != 2) {
    throw std::runtime_error("compute_capability \"" + capability + "\" is not MAJOR.MINOR");
  }
  fields.at("sms").get_to(gpu.sms);
  fields.at("fp32_lanes_per_sm").get_to(gpu.fp32_lanes_per_sm);
  gpu.fp64_lanes_per_sm = fields.value("fp64_lanes_per_sm", 0);
  fields.at("clock_mhz").get_to(gpu.clock_mhz);
  fields.at("dram_gb_s").get_to(gpu.dram_gb_s);
  fields.at("l2_bytes").get_to(gpu.l2_bytes);
  fields.at("shared_bytes_per_sm").get_to(gpu.shared_bytes_per_sm);
  fields.at("shared_bytes_per_block").get_to(gpu.shared_bytes_per_block);
  fields.at("registers_per_sm").get_to(gpu.registers_per_sm);
  fields.at("threads_per_sm").get_to(gpu.threads_per_sm);
  fields.at("warps_per_sm").get_to(gpu.warps_per_sm);
  fields.at("blocks_per_sm").get_to(gpu.blocks_per_sm);
  fields.at("threads_per_block").get_to(gpu.threads_per_block);
  fields.at("banks").get_to(gpu.banks);
  gpu.memory = fields.value("memory", "");
  gpu.memory_mhz = fields.value("memory_mhz", 0.0);
  gpu.graphics_mhz = fields.value("graphics_mhz", 0.0);
  gpu.memory_bytes = fields.value("memory_bytes", std::size_t{0});
  return gpu;
}

}  // namespace

std::vector<GpuProfile> load_gpu_profiles(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read the GPU profiles in " + file.string());
  std::string id;
  try {
    std::vector<GpuProfile> profiles;
    const nlohmann::json file_content = nlohmann::json::parse(stream);
    for (const auto& [key, fields] : file_content.items()) {
      id = key;
      if (!id.starts_with('_')) profiles.push_back(parse(id, fields));
    }
    return profiles;
  } catch (const std::exception& error) {
    throw std::runtime_error(file.string() + ", profile \"" + id + "\": " + error.what());
  }
}

GpuProfile gpu_profile(const std::string& id) {
  std::string known;
  for (const GpuProfile& gpu : load_gpu_profiles(project_root() / "common/gpu/gpus.json")) {
    if (gpu.id == id) return gpu;
    known += (known.empty() ? "" : ", ") + gpu.id;
  }
  throw std::runtime_error("no GPU profile is called \"" + id + "\"; known are " + known);
}

}  // namespace tilewise::core
