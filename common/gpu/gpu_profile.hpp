#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tilewise::core {

/// The GPU to use where nobody names one: the card of put2025, the course's own.
inline constexpr const char* default_gpu = "gtx1080";

/// The properties of a GPU that the course needs. Their sources are in gpus.json beside this file.
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
  int dram_partitions = 0;  ///< to which addresses go in turn (GT200); 0: hashed, or none
  int partition_bytes = 0;  ///< the bytes of one turn
  std::size_t l2_bytes = 0;
  std::size_t shared_bytes_per_sm = 0;
  std::size_t shared_bytes_per_block = 0;  ///< with opt-in if the card has it
  int registers_per_sm = 0;
  int threads_per_sm = 0;
  int warps_per_sm = 0;
  int blocks_per_sm = 0;
  int threads_per_block = 0;
  int banks = 0;

  // For the table of a card in a laboratory report; empty or 0 if no source lists the value.
  std::string memory;            ///< "GDDR5X"
  double memory_mhz = 0;         ///< as in data sheets, before any factor of the data rate
  double graphics_mhz = 0;       ///< of the parts outside the SMs, if they have their own clock
  std::size_t memory_bytes = 0;  ///< global memory

  /// Theoretical peak: every lane completes one fused multiply-add (2 operations) a clock.
  double peak_fp32_gflops() const { return 2.0 * sms * fp32_lanes_per_sm * clock_mhz * 1e-3; }

  /// The shared memory that a block gets without cudaFuncSetAttribute: at most 48 KiB on every card
  /// so far.
  std::size_t default_shared_bytes_per_block() const {
    constexpr std::size_t without_opt_in = 48 * 1024;
    return shared_bytes_per_block < without_opt_in ? shared_bytes_per_block : without_opt_in;
  }
};

/// Returns all profiles of a gpus.json, sorted by id. Keys that begin with _ are comments.
/// @throws std::runtime_error naming the file, the profile and the keys that are missing, unknown
/// or wrong.
std::vector<GpuProfile> load_gpu_profiles(const std::filesystem::path& file);

/// The same from the content of such a file.
std::vector<GpuProfile> gpu_profiles_in(const nlohmann::json& document);

/// A gpus.json that holds only this profile.
nlohmann::ordered_json card_document(const GpuProfile& gpu);

/// Whether the value of --gpu names a file rather than one of the course's profiles.
bool is_card_file(const std::string& gpu);

/// Whether the course's own gpus.json has a profile with this card's id.
bool is_of_the_course(const GpuProfile& gpu);

/// The profile that the value of --gpu names: either by its id in the course's own gpus.json, or as
/// the only profile in a file (FILE.json), whose id none of the course's profiles may have.
/// @throws std::runtime_error listing the known ids if there is no such profile; and as
/// load_gpu_profiles().
GpuProfile gpu_profile(const std::string& gpu);

}  // namespace tilewise::core
