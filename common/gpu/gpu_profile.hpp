#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tilewise::core {

/// What stands in for a GPU where nobody names another: the card of put2025, the course's own.
inline constexpr const char* default_gpu = "gtx1080";

/// What the course needs to know of a GPU. Sources: gpus.json beside this file.
struct GpuProfile {
  std::string id;    ///< short name used on the command line, e.g. "gtx1080"
  std::string name;  ///< vendor's name
  int compute_major = 0;
  int compute_minor = 0;
  int sms = 0;
  int fp32_lanes_per_sm = 0;
  int fp64_lanes_per_sm = 0;  ///< 0: double precision is not supported or not documented
  double clock_mhz = 0;
  double dram_gb_s = 0;     ///< theoretical
  int dram_partitions = 0;  ///< that addresses go to in turns (GT200); 0: hashed, or none
  int partition_bytes = 0;  ///< of a turn
  std::size_t l2_bytes = 0;
  std::size_t shared_bytes_per_sm = 0;
  std::size_t shared_bytes_per_block = 0;  ///< with opt-in, where the card has one
  int registers_per_sm = 0;
  int threads_per_sm = 0;
  int warps_per_sm = 0;
  int blocks_per_sm = 0;
  int threads_per_block = 0;
  int banks = 0;

  /// Theoretical peak: every lane completes one fused multiply-add (2 operations) a clock.
  double peak_fp32_gflops() const { return 2.0 * sms * fp32_lanes_per_sm * clock_mhz * 1e-3; }

  /// Shared memory a block gets without cudaFuncSetAttribute: at most 48 KiB on every card so far.
  std::size_t default_shared_bytes_per_block() const {
    constexpr std::size_t without_opt_in = 48 * 1024;
    return shared_bytes_per_block < without_opt_in ? shared_bytes_per_block : without_opt_in;
  }
};

/// All profiles of a gpus.json, sorted by id. What starts with _ is a comment.
/// @throws std::runtime_error naming the file, the profile and the keys that are missing, unknown
/// or wrong.
std::vector<GpuProfile> load_gpu_profiles(const std::filesystem::path& file);

/// The same from its content.
std::vector<GpuProfile> gpu_profiles_in(const nlohmann::json& document);

/// A gpus.json with this profile alone.
nlohmann::ordered_json card_document(const GpuProfile& gpu);

/// Whether what stands behind --gpu names a file rather than a profile of the course's.
bool is_card_file(const std::string& gpu);

/// Whether the course's own gpus.json has a profile of that id.
bool is_of_the_course(const GpuProfile& gpu);

/// The profile that stands behind --gpu: by its id in the course's own gpus.json, or the only one
/// in a file of its own (FILE.json), whose id is none of the course's.
/// @throws std::runtime_error listing the known ids where there is none; as load_gpu_profiles().
GpuProfile gpu_profile(const std::string& gpu);

}  // namespace tilewise::core
