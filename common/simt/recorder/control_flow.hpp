#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/recorder/modules.hpp"

namespace tilewise::simt {

/// A function's control flow: for each block, the blocks where it goes on. Block 0 is the entry,
/// and blocks are numbered by their addresses.
using ControlFlow = std::vector<std::vector<std::uint32_t>>;

/// An order of a function's blocks in which each block comes after all that lead to it within one
/// pass of the loops around it, and the blocks of a loop are contiguous. If the lanes in the
/// earliest block always go first, lanes of a warp that have diverged meet again where their ways
/// meet.
///
/// Each block has a path: the positions of the loops around it, from the outermost to the
/// innermost, and then its own position. Paths compare as sequences, and every loop and every block
/// has a position of its own.
using BlockPaths = std::vector<std::vector<std::uint32_t>>;

/// The blocks where a loop is left for good. Blocks on the way there belong to the loop: `if
/// (found) { x = a[k]; break; }` loads in the pass that finds, not when all lanes have left the
/// loop.
using Marks = std::vector<bool>;

/// @param ends for each block, whether the end of a loop is marked where it begins
/// @param room for each block, how many numbers it takes, at least 1
BlockPaths order_blocks(const ControlFlow& flow, const Marks& ends,
                        const std::vector<std::uint32_t>& room);

/// A function's structure, as read from its machine code.
struct MachineCode {
  struct Call {
    std::uintptr_t returns_to;
    std::uintptr_t target;  ///< 0: known only when it runs
  };
  /// Where each begins, sorted; the function begins with the first.
  std::vector<std::uintptr_t> blocks;
  ControlFlow flow;
  Marks ends;               ///< of loops: where a LoopExit is (tilewise/loop_exit.hpp)
  std::vector<Call> calls;  ///< sorted by address
};

/// Reads the code at [begin, end) of this process. Returns nothing if it cannot determine where
/// some instruction goes on: it reads no jump tables, and a checked module has none.
std::optional<MachineCode> read_machine_code(std::uintptr_t begin, std::uintptr_t end);

class FunctionOrder;

/// The position of an instruction that calls something, in the control flow of its function.
struct CodePlace {
  const FunctionOrder* function;
  std::vector<std::uint32_t> path;  ///< as in BlockPaths; the last number is the instruction's own
  bool continues = false;           ///< the access continues an earlier one of the same instruction
};

/// The order of one function's instructions.
class FunctionOrder {
 public:
  /// Orders the code at [begin, end). If the code cannot be read, its instructions are ordered by
  /// their addresses.
  FunctionOrder(std::uintptr_t begin, std::uintptr_t end);

  std::uintptr_t begin() const { return begin_; }

  /// @param returns_to the address where the called function returns to, or one less: a call that
  /// records several accesses marks all but the first one so
  CodePlace place(std::uintptr_t returns_to) const;

  /// The calls whose target is known, in the function's order.
  struct Call {
    CodePlace place;
    std::uintptr_t target;
  };
  const std::vector<Call>& calls() const { return calls_; }

 private:
  std::uintptr_t begin_;
  std::vector<std::uintptr_t> blocks_;  ///< where each begins
  BlockPaths paths_;
  std::vector<std::uintptr_t> returns_;  ///< of all calls, sorted
  std::vector<Call> calls_;
};

/// The order of a module's code, as far as some thread has reached it. Each operating-system thread
/// has one of its own.
class CodeOrder {
 public:
  void start_launch(const LaunchBody& body);

  /// Returns the place of a site that the launch has reached.
  const CodePlace& place(std::uint32_t site);

  /// Whether one function calls another one, directly or through others.
  bool leads_to(const FunctionOrder& from, const FunctionOrder& to);

  /// Returns the function that begins there; null if there is none.
  const FunctionOrder* function_at(std::uintptr_t address);

  /// Returns the functions where the launch's threads may begin, including a kernel that is called
  /// by its address.
  std::span<const FunctionOrder* const> roots();

 private:
  const FunctionOrder& function_around(std::uintptr_t address);

  LaunchBody body_{};
  std::vector<const FunctionOrder*> roots_;
  std::pair<std::uintptr_t, std::string> module_;
  const std::vector<ModuleSymbol>* symbols_ = nullptr;   ///< the functions
  std::unordered_map<std::uint32_t, CodePlace> places_;  ///< by Site32::code()
  std::map<std::uintptr_t, std::unique_ptr<FunctionOrder>> functions_;
  std::map<std::pair<const FunctionOrder*, const FunctionOrder*>, bool> leads_;
};

/// How far lanes of a warp have come, derived from the accesses that they have made since the
/// warp's threads were last at one place: which functions they are in, in which pass of which
/// loops, and where in these. Lower positions are earlier; lanes at equal positions run together.
class LanePosition {
 public:
  /// Moves on to the next access.
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
    std::vector<std::uint32_t> path{};  ///< path of its last access or call; empty before the first
  };

  bool move(Frame& frame, const CodePlace& place);
  bool call(CodeOrder& order, std::size_t caller, const FunctionOrder& function);
  bool call_from_some_frame(CodeOrder& order, const FunctionOrder& function);
  void return_to(std::size_t frame);
  void begin_at(CodeOrder& order, const FunctionOrder& function);

  std::vector<Frame> frames_;
  /// The first function, then for each frame the loops with their number of passes, the position
  /// within them, and the number of accesses that the instruction there has made before.
  std::vector<std::uint32_t> key_;
};

}  // namespace tilewise::simt
