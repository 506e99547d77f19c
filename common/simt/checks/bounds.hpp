#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/simt/runtime/block_watch.hpp"
#include "common/simt/runtime/observer.hpp"

namespace tilewise::simt {

/// Finds accesses to memory that a kernel cannot reach or may not access: outside arrays and
/// buffers, in the host's memory, misaligned, and stores to inputs.
class Bounds final : public Observer {
 public:
  void global_access(const Access& access) override;
  void stray_lane(const StrayLane& lane) override;
  std::optional<Finding> access_elsewhere(const AccessElsewhere& access) override;
  void private_access(const PrivateAccess& access) override;
  void index_outside(const IndexOutside& index) override;

 private:
  /// What a thread accesses although it cannot.
  struct Stray {
    const char* kind;
    std::string what;
  };

  void report_write_to_input(const Request& request) const;
  void report_misaligned(const StrayLane& lane) const;
  std::string host_variable_at(Place place) const;
  BlockWatch::Words words_of_stray_in_shared_memory(const StrayLane& lane) const;
  BlockWatch::Words words_of_stray(const StrayLane& lane) const;
  BlockWatch::Words words_of_private(const PrivateAccess& access) const;
  std::string odd_rows(Place place, unsigned bytes) const;
  std::optional<Stray> fault_elsewhere(const void* address, bool reads, bool on_a_stack) const;
  std::optional<Stray> fault_in_a_module(std::uintptr_t address, bool reads) const;
  bool has_argument_near(std::uintptr_t address) const;
  std::optional<Stray> fault_in_device_memory(const void* address) const;
};

}  // namespace tilewise::simt
