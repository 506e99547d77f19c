#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/recorder/block_order.hpp"
#include "common/simt/recorder/module_symbols.hpp"

namespace tilewise::simt {

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

}  // namespace tilewise::simt
