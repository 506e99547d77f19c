#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "common/simt/recorder/code_order.hpp"

namespace tilewise::simt {

/// How far lanes of a warp have come, told from the accesses that they have made since their warp's
/// threads were last at one place: which functions they are in, in which pass of which loops, and
/// where. Lower positions are earlier; lanes at equal ones run together.
class LanePosition {
 public:
  /// Goes on to the next access.
  void advance(CodeOrder& order, std::uint32_t site);

  friend bool operator==(const LanePosition& a, const LanePosition& b) { return a.key_ == b.key_; }
  friend auto operator<=>(const LanePosition& a, const LanePosition& b) {
    return a.key_ <=> b.key_;
  }

 private:
  /// A function that has been called and has not returned.
  struct Frame {
    const FunctionOrder* function;
    std::size_t key_begin;
    std::vector<std::uint32_t> path{};  ///< of its last access or call; empty before the first
  };

  bool move(Frame& frame, const CodePlace& place);
  bool call(CodeOrder& order, std::size_t caller, const FunctionOrder& function);
  bool call_from_some_frame(CodeOrder& order, const FunctionOrder& function);
  void return_to(std::size_t frame);
  void begin_at(CodeOrder& order, const FunctionOrder& function);

  std::vector<Frame> frames_;
  /// The first function; then for each frame the loops, each with its number of passes, where in
  /// them, and how many accesses the instruction there has made before.
  std::vector<std::uint32_t> key_;
};

}  // namespace tilewise::simt
