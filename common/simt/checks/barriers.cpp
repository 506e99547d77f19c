#include "common/simt/checks/barriers.hpp"

#include <fmt/format.h>

#include <string>

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
  return fmt::format(
      "{} of {} came to {} on line {} while {} waits at {} on line {}: every live thread of a "
      "block must come to the same barrier; move it out of the branch",
      describe(comes.thread), describe_block(stuck.block), comes.what, comes.site.line,
      describe(waits.thread), waits.what, waits.site.line);
}

std::string deadlock(const StuckBlock& stuck) {
  std::string waits;
  for (const WaitingThread& waiting : stuck.threads) {
    waits += fmt::format("{}{} waits at {} on line {}", waits.empty() ? "" : ", ",
                         describe(waiting.thread), waiting.what, waiting.site.line);
  }
  return fmt::format(
      "no thread of {} can go on: {}; all threads (of the block, or of the warp's mask) must come "
      "to the same place",
      describe_block(stuck.block), waits);
}

std::string wrong_mask(const StuckBlock& stuck) {
  const WaitingThread& caller = stuck.threads.front();
  std::string text = fmt::format("{} of {} calls {} on line {} with mask {}, ",
                                 describe(caller.thread), describe_block(stuck.block), caller.what,
                                 caller.site.line, describe_mask(stuck.mask));
  if (stuck.why == StuckBlock::Why::outside_mask) {
    return text + fmt::format(
                      "which leaves out its own lane {}: name every lane that makes the call, and "
                      "no other",
                      stuck.lane);
  }
  const WaitingThread& other = stuck.threads[1];
  return text + fmt::format(
                    "while lanes of its warp wait in {} on line {} with mask {}: all lanes in a "
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

}  // namespace

std::optional<Finding> Barriers::stuck(const StuckBlock& stuck) {
  const auto& [thread, what, site] = stuck.threads.front();
  return Finding{.kind = kind_of(stuck.why),
                 .message = message(stuck),
                 .file = site.file,
                 .line = site.line,
                 .place = ThreadOfGrid{{stuck.block.x, stuck.block.y, stuck.block.z},
                                       {thread.x, thread.y, thread.z}}};
}

}  // namespace tilewise::simt
