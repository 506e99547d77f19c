#include "common/simt/checks/stream_races.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <mutex>

#include "common/base/language.hpp"
#include "common/simt/runtime/block_watch.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/stream_order.hpp"

namespace tilewise::simt {

/// Which work of the device accessed which bytes of a word, and at which place in the code; the
/// place is 0 for a copy.
class StreamRaces::Entry {
 public:
  Entry() = default;
  explicit Entry(std::uint64_t packed) : packed_(packed) {}
  Entry(std::uint32_t work, std::uint8_t bytes, std::uint32_t site)
      : packed_(std::uint64_t{work} << 36 | std::uint64_t{bytes} << 32 | site) {}
  std::uint64_t packed() const { return packed_; }
  std::uint32_t work() const { return static_cast<std::uint32_t>(packed_ >> 36); }
  std::uint8_t bytes() const { return packed_ >> 32 & 0xf; }
  Site32 site() const { return Site32(static_cast<std::uint32_t>(packed_)); }
  bool is_atomic() const { return site().action() == Action::atomic; }

 private:
  std::uint64_t packed_ = 0;
};

/// The accesses to one word. Blocks on several operating-system threads may store here at the same
/// time; any of them names the work equally well.
struct StreamRaces::Cell {
  std::atomic<std::uint64_t> write, read, other_read;
};

/// An allocation. Its cells are made on demand, since most programs have one stream and need none.
struct StreamRaces::Region {
  Region(Place first_, std::size_t bytes_)
      : first(first_),
        bytes(bytes_),
        open_to_host(DeviceMemory::instance().is_open_to_host(address_of(first_))) {}
  Place first;
  std::size_t bytes;
  bool open_to_host;
  /// The host and kernels both perform atomic operations there, by which they may wait for each
  /// other.
  std::atomic<bool> has_host_atomics{false};
  std::once_flag once;
  std::atomic<LazyArray<Cell>*> cells{nullptr};
  std::unique_ptr<LazyArray<Cell>> owned;

  Cell& cell_at(Place place) {
    std::call_once(once, [&] {
      owned = std::make_unique<LazyArray<Cell>>(bytes / word_bytes);
      cells = owned.get();
    });
    return (*owned)[(place - first) / word_bytes];
  }
};

struct StreamRaces::Shared {
  /// An access of a copy or of memset, which work to come may conflict with.
  struct HostAccess {
    Place first, end;
    bool writes;
    std::uint32_t work;
    SourceLine call;

    bool meets(Place place, std::size_t bytes, bool other_writes) const {
      return (writes || other_writes) && place < end && place + bytes > first;
    }
  };

  PerAllocation<Region> regions;
  std::mutex mutex;  ///< guards the members below: the host's threads may copy at the same time
  std::vector<HostAccess> copies;
  std::vector<HostAccess> suspects;  ///< accesses that nothing orders with the current launch
  std::uint32_t work = 0;            ///< the current launch
  bool all_ended = true;             ///< all other work had ended before it began
  std::uintptr_t code = 0;           ///< an address in a kernel's code
};

bool StreamRaces::follows_ = false;

StreamRaces::Shared& StreamRaces::of_all_threads() {
  static auto* shared = new Shared;  // outlives static destructors that use it
  return *shared;
}

void StreamRaces::allocated(Place first, std::size_t bytes) { shared_.regions.add(first, bytes); }

void StreamRaces::released(Place first, std::size_t bytes) {
  shared_.regions.remove(first, bytes);
  const std::lock_guard lock(shared_.mutex);
  std::erase_if(shared_.copies, [&](const auto& one) { return one.meets(first, bytes, true); });
}

void StreamRaces::begin_launch(const Watch& watch, const LaunchConfiguration&) {
  const StreamOrder& order = StreamOrder::instance();
  follows_ = watch.checks && order.is_followed();
  if (!follows_) return;
  const std::lock_guard lock(shared_.mutex);
  shared_.work = order.current();
  shared_.all_ended = order.has_all_ended();
  shared_.suspects.clear();
  std::erase_if(shared_.copies, [&](const auto& one) { return order.host_knows(one.work); });
  if (shared_.all_ended) return;
  std::ranges::copy_if(shared_.copies, std::back_inserter(shared_.suspects),
                       [&](const auto& one) { return !order.has_ended(one.work); });
}

void StreamRaces::end_launch(const LaunchResults& results) { shared_.code = results.code; }

namespace {

constexpr const char* advice = marked(
    "record an event behind the first and have the other stream wait for it "
    "(cudaStreamWaitEvent), or wait for the first with the host");

/// Returns one bit for each byte of a word that a range covers.
std::uint8_t bytes_in_word(Place word, Place first, Place end) {
  std::uint8_t bits = 0;
  for (unsigned byte = 0; byte < word_bytes; ++byte) {
    if (word + byte >= first && word + byte < end) bits |= static_cast<std::uint8_t>(1u << byte);
  }
  return bits;
}

std::string element(Place place) {
  const auto range = DeviceMemory::instance().range_at(address_of(place));
  return range ? element_of(*range, address_of(place)) : tr("global memory");
}

}  // namespace

/// Work whose accesses conflict with an access of the host.
struct StreamRaces::Met {
  Place place;
  std::uint32_t work;
  std::string does;  ///< "writes"
  SourceLine line;
};

std::optional<StreamRaces::Met> StreamRaces::met_by_host(
    Place first, std::size_t bytes, bool writes,
    const std::function<bool(std::uint32_t)>& has_ended) const {
  const Place end = first + static_cast<Place>(bytes);
  const auto& copies = shared_.copies;
  const auto met = std::ranges::find_if(copies, [&](const auto& one) {
    return one.meets(first, bytes, writes) && !has_ended(one.work);
  });
  if (met != copies.end()) {
    return Met{std::max(first, met->first), met->work, met->writes ? tr("writes") : tr("reads"),
               met->call};
  }
  Region& region = shared_.regions.at(first);
  if (region.cells.load() == nullptr) return std::nullopt;
  for (Place word = first / word_bytes * word_bytes; word < end; word += word_bytes) {
    const Cell& cell = region.cell_at(word);
    const std::uint8_t touched = bytes_in_word(word, first, end);
    for (const auto* packed : {&cell.write, &cell.read, &cell.other_read}) {
      if (packed != &cell.write && !writes) break;
      const Entry entry(packed->load(std::memory_order_relaxed));
      if (entry.work() == 0 || (entry.bytes() & touched) == 0 || has_ended(entry.work())) continue;
      return Met{word, entry.work(), verb(entry.site().word()),
                 source_line(code_address(entry.site().word(), shared_.code))};
    }
  }
  return std::nullopt;
}

// A copy is compared with kernels before it and with other copies; later kernels are compared with
// the copy.
void StreamRaces::host_access(Place first, std::size_t bytes, bool writes) {
  const StreamOrder& order = StreamOrder::instance();
  if (!order.is_followed() || !order.is_at_work()) return;
  const std::lock_guard lock(shared_.mutex);
  const std::uint32_t work = order.current();
  Finding call;
  device::add_place_of_call(call);
  std::optional<Met> met;
  if (!order.has_all_ended()) {
    met = met_by_host(first, bytes, writes,
                      [&](std::uint32_t other) { return other == work || order.has_ended(other); });
  }
  if (met) {
    device::record({.kind = "race",
                    .message = tr("race on {}: {} {} it, {} {} it, and nothing orders the two: {}",
                                  element(met->place), order.name_of(met->work), met->does,
                                  order.name_of(work), writes ? tr("writes") : tr("reads"),
                                  core::in_language(advice)),
                    .file = call.file,
                    .line = call.line,
                    .other_file = met->line.file,
                    .other_line = met->line.line});
  }
  std::erase_if(shared_.copies, [&](const auto& one) { return order.host_knows(one.work); });
  shared_.copies.push_back(
      {first, first + static_cast<Place>(bytes), writes, work, {call.file, call.line}});
}

void StreamRaces::host_code_access(Place first, std::size_t bytes, bool writes, std::uintptr_t pc) {
  StreamOrder& order = StreamOrder::instance();
  if (shared_.regions.at(first).has_host_atomics) return;
  {
    const std::lock_guard lock(shared_.mutex);
    // A function that a stream calls runs after the work that the stream was given before.
    const auto met = met_by_host(first, bytes, writes, [&](std::uint32_t work) {
      return order.is_at_work() ? order.has_ended(work) : order.host_knows(work);
    });
    if (!met) return;
    const SourceLine line = source_line(pc);
    device::record(
        {.kind = "race",
         .message = tr("race on {}: {} {} it on line {}, and the host {} it on line {} without "
                       "having waited: call cudaDeviceSynchronize() before, or wait for the "
                       "stream, or for an event behind that work",
                       element(met->place), order.name_of(met->work), met->does, met->line.line,
                       writes ? tr("writes") : tr("reads"), line.line),
         .file = line.file,
         .line = line.line,
         .other_file = met->line.file,
         .other_line = met->line.line});
  }
  order.host_waits();  // a missing wait is reported only once
}

void StreamRaces::host_code_atomic(Place place) {
  shared_.regions.at(place).has_host_atomics = true;
}

void StreamRaces::check(const Access& access) {
  if (access.site.read_only) return;
  const Request& request = access.request;
  const std::uint32_t bytes = request.site.bytes();
  Region& region = shared_.regions.at(request.first_place());
  if (!region.open_to_host && !StreamOrder::instance().has_streams()) return;
  for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const Place place = request.places[lane];
    for (const auto& one : shared_.suspects) {
      if (!one.meets(place, bytes, access.writes())) continue;
      // A copy has no place in a kernel's code; the site made here says what the copy did.
      const std::uint32_t kind = Site32::kind(one.writes ? Action::write : Action::read, 1);
      report(place, Entry(one.work, 0, kind), one.call, access, lane);
    }
    for (Place at = place; at < place + bytes; at += word_bytes) {
      check_word(region.cell_at(at), at, std::min(bytes, word_bytes), access, lane);
    }
  }
}

void StreamRaces::check_word(Cell& cell, Place place, std::uint32_t bytes, const Access& access,
                             unsigned lane) const {
  const auto touched = static_cast<std::uint8_t>(((1u << bytes) - 1) << place % word_bytes);
  Entry now(shared_.work, touched, access.request.site.word());
  const auto load = [](const std::atomic<std::uint64_t>& packed) {
    return Entry(packed.load(std::memory_order_relaxed));
  };
  const Entry write = load(cell.write), read = load(cell.read);
  if (!shared_.all_ended) {
    against(write, now, place, access, lane);
    if (access.writes()) {
      against(read, now, place, access, lane);
      against(load(cell.other_read), now, place, access, lane);
    }
  }
  const Entry last = access.writes() ? write : read;
  if (!access.writes() && read.work() != shared_.work) {
    cell.other_read.store(read.packed(), std::memory_order_relaxed);
  }
  if (last.work() == shared_.work) {
    now = Entry(shared_.work, static_cast<std::uint8_t>(touched | last.bytes()),
                access.request.site.word());
  }
  (access.writes() ? cell.write : cell.read).store(now.packed(), std::memory_order_relaxed);
}

void StreamRaces::against(Entry earlier, Entry later, Place place, const Access& access,
                          unsigned lane) const {
  if (earlier.work() == 0 || earlier.work() == later.work()) return;
  if ((earlier.bytes() & later.bytes()) == 0) return;
  if (earlier.is_atomic() && later.is_atomic()) return;
  if (StreamOrder::instance().has_ended(earlier.work())) return;
  report(place, earlier, block().line_of(earlier.site().word()), access, lane);
}

void StreamRaces::report(Place place, Entry earlier, const SourceLine& other_line,
                         const Access& access, unsigned lane) const {
  const Request& request = access.request;
  const unsigned bytes = request.site.bytes();
  // A store that changes nothing does no harm, whichever access comes first.
  const Place whole = request.places[lane];
  if (access.writes() && request.olds[lane] == block().value(whole, bytes)) return;
  const std::uint32_t site = request.site.word(), other = earlier.site().word();
  Findings& findings = Findings::instance();
  if (findings.knows("race", site, other, block().number())) return;
  const StreamOrder& order = StreamOrder::instance();
  const SourceLine line = block().line_of(site);
  const unsigned thread = request.warp * 32 + lane;
  findings.add(
      {.kind = "race",
       .message = tr("race on {}: {} {} it on line {}, {} of {} {} it on line {}, and nothing "
                     "orders the two: {}",
                     block().element_at(place), order.name_of(earlier.work()), verb(other),
                     other_line.line, block().name_of(thread), order.name_of(shared_.work),
                     verb(site), line.line, core::in_language(advice)),
       .file = line.file,
       .line = line.line,
       .other_file = other_line.file,
       .other_line = other_line.line,
       .place = block().place_of(thread)},
      block().number());
}

}  // namespace tilewise::simt
