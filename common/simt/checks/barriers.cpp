#include "common/simt/checks/barriers.hpp"

#include <fmt/format.h>

#include <string>

#include "common/base/language.hpp"
#include "common/simt/runtime/names.hpp"

namespace tilewise::simt {

namespace {

const char* kind_of(StuckBlock::Why why) {
  switch (why) {
    case StuckBlock::Why::divided:
      return "barrier";
    case StuckBlock::Why::deadlocked:
      return "deadlock";
    default:
      return "warp";
  }
}

std::string division(const StuckBlock& stuck) {
  const WaitingThread &comes = stuck.threads[0], &waits = stuck.threads[1];
  return tr(
      "{} of {} came to {} on line {} while {} waits at {} on line {}: every live thread of a "
      "block must come to the same barrier; move it out of the branch",
      describe(comes.thread), describe_block(stuck.block), comes.what, comes.site.line,
      describe(waits.thread), waits.what, waits.site.line);
}

std::string deadlock(const StuckBlock& stuck) {
  std::string waits;
  for (const WaitingThread& waiting : stuck.threads) {
    waits += tr("{}{} waits at {} on line {}", waits.empty() ? "" : ", ", describe(waiting.thread),
                waiting.what, waiting.site.line);
  }
  return tr(
      "no thread of {} can go on: {}; all threads (of the block, or of the warp's mask) must come "
      "to the same place",
      describe_block(stuck.block), waits);
}

std::string wrong_mask(const StuckBlock& stuck) {
  const WaitingThread& caller = stuck.threads.front();
  std::string text =
      tr("{} of {} calls {} on line {} with mask {}, ", describe(caller.thread),
         describe_block(stuck.block), caller.what, caller.site.line, describe_mask(stuck.mask));
  if (stuck.why == StuckBlock::Why::outside_mask) {
    return text + tr("which leaves out its own lane {}: name every lane that makes the call, and "
                     "no other",
                     stuck.lane);
  }
  const WaitingThread& other = stuck.threads[1];
  return text + tr("while lanes of its warp wait in {} on line {} with mask {}: all lanes in a "
                   "mask must make the same call with the same mask",
                   other.what, other.site.line, describe_mask(stuck.other_mask));
}

std::string message(const StuckBlock& stuck) {
  switch (stuck.why) {
    case StuckBlock::Why::divided:
      return division(stuck);
    case StuckBlock::Why::deadlocked:
      return deadlock(stuck);
    default:
      return wrong_mask(stuck);
  }
}

std::string why_nothing_comes(ShuffleFromNowhere::Source source) {
  switch (source) {
    case ShuffleFromNowhere::Source::outside_mask:
      return tr("which the mask does not name");
    case ShuffleFromNowhere::Source::has_returned:
      return tr("which has returned");
    default:
      return tr("which the block does not have");
  }
}

Finding at(uint3 block, uint3 thread, Site site, const char* kind, std::string message) {
  return {.kind = kind,
          .message = std::move(message),
          .file = site.file,
          .line = site.line,
          .place = ThreadOfGrid{{block.x, block.y, block.z}, {thread.x, thread.y, thread.z}}};
}

}  // namespace

std::optional<Finding> Barriers::stuck(const StuckBlock& stuck) {
  const auto& [thread, what, site] = stuck.threads.front();
  Finding found = at(stuck.block, thread, site, kind_of(stuck.why), message(stuck));
  if (stuck.why == StuckBlock::Why::divided) {
    found.other_file = stuck.threads[1].site.file;
    found.other_line = stuck.threads[1].site.line;
  }
  return found;
}

std::optional<Finding> Barriers::skipped(const SkippedBarrier& skipped) {
  const auto& [other, what, site] = skipped.barrier;
  return at(skipped.block, skipped.thread, site, "barrier",
            tr("{} of {} came to the end of the kernel without the {} on line {}, to which "
               "{} came: all threads of a block that have not returned must come to a "
               "barrier, and as often; move it out of the branch or loop",
               describe(skipped.thread), describe_block(skipped.block), what, site.line,
               describe(other)));
}

std::optional<Finding> Barriers::shuffled(const ShuffleFromNowhere& shuffled) {
  const auto& [thread, what, site] = shuffled.caller;
  if (shuffled.is_of_all_lanes) {
    return at(shuffled.block, thread, site, "warp",
              tr("{} of {} calls {} on line {} without lane {}, {}: all 32 lanes of a warp "
                 "make it together; keep it out of branches that some of them take",
                 describe(thread), describe_block(shuffled.block), what, site.line, shuffled.lane,
                 why_nothing_comes(shuffled.source)));
  }
  return at(shuffled.block, thread, site, "warp",
            tr("{} of {} calls {} on line {} with mask {} and asks for the value of lane "
               "{}, {}: what it gets is undefined",
               describe(thread), describe_block(shuffled.block), what, site.line,
               describe_mask(shuffled.mask), shuffled.lane, why_nothing_comes(shuffled.source)));
}

}  // namespace tilewise::simt
