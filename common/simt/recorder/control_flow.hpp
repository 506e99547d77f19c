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

/// A function's control flow: by block, where it goes on. Block 0 is the entry, and blocks are
/// numbered by their addresses.
using ControlFlow = std::vector<std::vector<std::uint32_t>>;

/// An order of a function's blocks in which each comes behind all that lead to it within one pass
/// of the loops around it, and a loop's blocks come one after the other. Lanes of a warp of which
/// those in the first block go first meet where the ways that they took meet.
///
/// By block its path: where each loop around it stands, from the outside in, and at last where it
/// stands itself. Paths compare as sequences, and no two things stand at one number.
using BlockPaths = std::vector<std::vector<std::uint32_t>>;

/// Where a loop is left for good. Blocks on the way there belong to it: `if (found) { x = a[k];
/// break; }` loads in the pass that finds, not when all lanes are through with the loop.
using Marks = std::vector<bool>;

/// @param ends by block: a loop's end is marked where it begins
/// @param room by block: how many numbers it takes, at least 1
BlockPaths order_blocks(const ControlFlow& flow, const Marks& ends,
                        const std::vector<std::uint32_t>& room);

/// A function as its machine code reads.
struct MachineCode {
  struct Call {
    std::uintptr_t returns_to;
    std::uintptr_t target;  ///< 0: known only when it runs
  };
  std::vector<std::uintptr_t> blocks;  ///< where each begins, sorted; the first is the function
  ControlFlow flow;
  Marks ends;               ///< of loops: LoopExit (tilewise/loop_exit.hpp)
  std::vector<Call> calls;  ///< by address
};

/// The code at [begin, end) of this process. Nothing where it cannot be told where some
/// instruction goes on: no table of jumps is read, and none is in a checked module.
std::optional<MachineCode> read_machine_code(std::uintptr_t begin, std::uintptr_t end);

class FunctionOrder;

/// Where an instruction that calls something stands in the control flow of its function.
struct CodePlace {
  const FunctionOrder* function;
  std::vector<std::uint32_t> path;  ///< as in BlockPaths; the last number is the instruction's own
  bool continues = false;           ///< what the instruction at this place has begun
};

/// The order of one function's instructions.
class FunctionOrder {
 public:
  /// Of the code at [begin, end). Where it cannot be read its instructions have the order of their
  /// addresses.
  FunctionOrder(std::uintptr_t begin, std::uintptr_t end);

  std::uintptr_t begin() const { return begin_; }

  /// @param returns_to where the called function returns to, or one less: a call that writes down
  /// several accesses tells the first one so from the others
  CodePlace place(std::uintptr_t returns_to) const;

  /// Calls whose target is known, in the function's order.
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

/// The order of a module's code, as far as some thread has come to it. Each operating-system thread
/// has its own.
class CodeOrder {
 public:
  void start_launch(const LaunchBody& body);

  /// Of a site that the launch has come to.
  const CodePlace& place(std::uint32_t site);

  /// Whether one function calls another one, itself or through others.
  bool leads_to(const FunctionOrder& from, const FunctionOrder& to);

  /// The function that begins there; null where there is none.
  const FunctionOrder* function_at(std::uintptr_t address);

  /// Where the launch's threads may begin: of a kernel that is called by its address, there.
  std::span<const FunctionOrder* const> roots();

 private:
  const FunctionOrder& function_around(std::uintptr_t address);

  LaunchBody body_{};
  std::vector<const FunctionOrder*> roots_;
  std::pair<std::uintptr_t, std::string> module_;
  const std::vector<ModuleSymbol>* symbols_ = nullptr;   ///< of functions
  std::unordered_map<std::uint32_t, CodePlace> places_;  ///< by Site32::code()
  std::map<std::uintptr_t, std::unique_ptr<FunctionOrder>> functions_;
  std::map<std::pair<const FunctionOrder*, const FunctionOrder*>, bool> leads_;
};

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
