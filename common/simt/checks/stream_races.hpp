#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "common/simt/recorder/modules.hpp"
#include "common/simt/recorder/shadow.hpp"
#include "common/simt/runtime/observer.hpp"

namespace tilewise::simt {

/// Finds accesses of two kernels, or of a kernel and a copy, to the same device memory, if nothing
/// orders their streams: no event, and no wait of the host. Also finds accesses of host code to
/// memory that it shares with the device, while a kernel or a copy that the host has not waited for
/// may access it. Once a program has several streams, or such memory, this check remembers for each
/// word which work of the device wrote and read it last.
class StreamRaces final : public Observer {
 public:
  void allocated(Place first, std::size_t bytes) override;
  void released(Place first, std::size_t bytes) override;
  void host_access(Place first, std::size_t bytes, bool writes) override;
  void host_code_access(Place first, std::size_t bytes, bool writes, std::uintptr_t pc) override;
  void host_code_atomic(Place place) override;
  void begin_launch(const Watch& watch, const LaunchConfiguration& launch) override;
  void end_launch(const LaunchResults& results) override;

  void global_access(const Access& access) override {
    if (follows_) check(access);
  }

 private:
  struct Cell;
  struct Region;
  struct Shared;
  class Entry;
  struct Met;

  static Shared& of_all_threads();

  /// @param has_ended whether a work of the device has ended before the host's access
  std::optional<Met> met_by_host(Place first, std::size_t bytes, bool writes,
                                 const std::function<bool(std::uint32_t)>& has_ended) const;
  void check(const Access& access);
  void check_word(Cell& cell, Place place, std::uint32_t bytes, const Access& access,
                  unsigned lane) const;
  void against(Entry earlier, Entry later, Place place, const Access& access, unsigned lane) const;
  void report(Place place, Entry earlier, const SourceLine& other_line, const Access& access,
              unsigned lane) const;

  /// There are several streams, or memory shared with the host, and the launch is checked.
  static bool follows_;
  Shared& shared_ = of_all_threads();
};

}  // namespace tilewise::simt
