#include "common/simt/checks/async_copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "common/base/language.hpp"
#include "common/simt/runtime/block_watch.hpp"
#include "common/simt/runtime/device.hpp"

namespace tilewise::simt {

namespace {

constexpr Place unit = 16;  // size in bytes of the widest access, and of the widest copy

bool overlap(Place a, unsigned bytes_of_a, Place b, unsigned bytes_of_b) {
  return a < b + bytes_of_b && b < a + bytes_of_a;
}

}  // namespace

void AsyncCopies::copy_begun(const BegunCopy& copy, AccessRecord by) {
  if (!block().watch().checks) return;
  if (copy.bytes_asked_for < 0 || copy.bytes_asked_for > copy.bytes) report_size(copy, by);
  copies_.push_back({copy, by, false, {}});
  index(copies_.size() - 1);
}

void AsyncCopies::copies_arrived(unsigned batches, AccessRecord wait) {
  const auto found = by_thread_.find(thread_of(wait.tag));
  if (found == by_thread_.end()) return;
  for (const std::size_t number : found->second) {
    OnItsWay& copy = copies_[number];
    if (copy.arrived) continue;
    copy.arrived = copy.copy.batch < batches;
    copy.wait = wait;
  }
}

// After a barrier, all threads may use what has arrived and been waited for.
void AsyncCopies::barrier(std::size_t) {
  if (std::erase_if(copies_, [](const OnItsWay& copy) { return copy.arrived; }) > 0) index();
}

void AsyncCopies::index() {
  by_thread_.clear();
  by_unit_.clear();
  for (std::size_t number = 0; number < copies_.size(); ++number) index(number);
}

void AsyncCopies::index(std::size_t number) {
  const BegunCopy& copy = copies_[number].copy;
  by_thread_[thread_of(copies_[number].by.tag)].push_back(number);
  const auto note = [&](Place first, unsigned bytes) {
    if (bytes == 0) return;
    const Place last = (first + bytes - 1) / unit;
    for (Place each = first / unit; each <= last; ++each) by_unit_[each].push_back(number);
  };
  note(copy.to, copy.bytes);
  note(copy.from, copy.bytes_read);
}

void AsyncCopies::check(const Access& access) const {
  const Request& request = access.request;
  for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const Place place = request.places[lane];
    const AccessRecord record = block().record_of(request, lane);
    const unsigned bytes = request.site.bytes();
    // Only aligned accesses are reported here, and they lie in one unit.
    const auto found = by_unit_.find(place / unit);
    if (found == by_unit_.end()) continue;
    for (const std::size_t number : found->second) {
      const OnItsWay& copy = copies_[number];
      const bool hits =
          overlap(place, bytes, copy.copy.to, copy.copy.bytes) ||
          (access.writes() && overlap(place, bytes, copy.copy.from, copy.copy.bytes_read));
      if (hits && is_too_early(copy, thread_of(record.tag))) report(copy, place, bytes, record);
    }
  }
}

bool AsyncCopies::is_too_early(const OnItsWay& copy, unsigned thread) const {
  if (thread == thread_of(copy.by.tag)) return !copy.arrived;
  // If nothing orders the access with the beginning of the copy, it is a race like any other.
  if (block().moments().concurrent(copy.by.tag, thread)) return false;
  return !copy.arrived || block().moments().concurrent(copy.wait.tag, thread);
}

void AsyncCopies::report_size(const BegunCopy& copy, AccessRecord by) const {
  const unsigned thread = thread_of(by.tag);
  block().report("out-of-bounds", by.site, thread, [&]() -> BlockWatch::Words {
    return {tr("{} begins a copy of {} bytes to {}, of which {} are to be read: there can be 0 to "
               "{}, or nothing says what a GPU reads",
               block().name_of(thread), copy.bytes, block().element_at(copy.to),
               copy.bytes_asked_for, copy.bytes),
            block().array_of(copy.to)};
  });
}

void AsyncCopies::report(const OnItsWay& copy, Place place, unsigned bytes,
                         AccessRecord access) const {
  const unsigned thread = thread_of(access.tag), other = thread_of(copy.by.tag);
  Findings& findings = Findings::instance();
  if (findings.knows("race", access.site, copy.by.site, block().number())) return;
  const SourceLine line = block().line_of(access.site), begun = block().line_of(copy.by.site);
  const std::string who = thread == other ? tr("it") : block().name_of(other);
  std::string why = tr("nothing has waited for it");
  if (copy.wait.site != 0) {
    const int wait = block().line_of(copy.wait.site).line;
    why = copy.arrived ? tr("{} has waited for it on line {}, with no barrier since then "
                            "that this thread came to, too",
                            who, wait)
                       : tr("the wait on line {} leaves it on its way", wait);
  }
  const bool of_target = overlap(place, bytes, copy.copy.to, copy.copy.bytes);
  findings.add({.kind = "race",
                .message = tr(
                    "race on {}{}: {} {} it on line {} while an asynchronous copy that {} began on "
                    "line {} {}: {}",
                    is_shared(place) ? tr("shared ") : "", block().element_at(place),
                    block().name_of(thread), verb(access.site), line.line, who, begun.line,
                    of_target ? tr("is still bringing it") : tr("has yet to read it"), why),
                .file = line.file,
                .line = line.line,
                .other_file = begun.file,
                .other_line = begun.line,
                .place = block().place_of(thread),
                .array = block().array_of(place)},
               block().number());
}

}  // namespace tilewise::simt
