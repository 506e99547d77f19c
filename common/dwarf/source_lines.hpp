#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

struct Dwfl_Module;

namespace tilewise::dwarf {

/// A line of a source; `file` is empty if nothing is known.
struct SourceLine {
  std::string file;
  int line = 0;
};

/// Looks up instructions in the debugging information that libdwfl (elfutils) has for a module.
class SourceLines {
 public:
  /// The line of an instruction. For code that was inlined into a kernel file (.cu, .cuh), it is
  /// the line of the call in that file.
  SourceLine find(Dwfl_Module* module, std::uint64_t pc);

  static bool is_kernel_file(std::string_view file);

 private:
  /// One stretch of the instructions of a function that was inlined into another.
  struct InlinedCall {
    std::uint64_t begin, end;
    SourceLine caller;
  };
  struct Unit;

  SourceLine line_of_caller(Dwfl_Module* module, std::uint64_t pc);
  static void collect(const Unit& unit, const Unit& die, std::vector<InlinedCall>& calls);

  std::map<void*, std::vector<InlinedCall>> inlined_calls_;  ///< keyed by compilation unit
};

}  // namespace tilewise::dwarf
