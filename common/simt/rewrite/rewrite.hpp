#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::simt {

/// CUDA code that the simulator cannot run, and what to write instead.
struct RewriteError {
  int line;  ///< in the source, from 1
  std::string message;
};

/// C++ for a host compiler, or the reasons why there is none.
struct Rewritten {
  std::string text;      ///< has the source's number of lines; no token changes its line
  std::string prologue;  ///< lines to go in front of it; often none
  std::vector<RewriteError> errors;  ///< in the order of their lines; empty when all went well
};

struct RewriteOptions {
  /// For the checked build: every loop of device code reports to the run-time when a thread has
  /// left it (docs/decisions, "loop exits"), every `#pragma unroll` is dropped, and variables in
  /// device memory are marked (device_variables.hpp).
  bool mark_loop_exits = false;
  /// For whole programs, in addition to `mark_loop_exits`: a thread's own variables are marked, too
  /// (private_variables.hpp). Their loads and stores then report themselves.
  bool watch_private_variables = false;
  /// An identifier that makes the names generated for this file differ from those for other files
  /// that one source includes. With one, the prologue may be included any number of times. Empty:
  /// this is the only file.
  std::string file_tag = {};
  /// The words of the files that this one includes, some of which may be functions and variables
  /// with the same names as its own, and the macros of those files, some of which may stand for
  /// qualifiers.
  std::set<std::string, std::less<>> words_elsewhere = {}, macros_elsewhere = {};
};

/// Turns CUDA's additions to the grammar of C++ into calls of the simulator's run-time:
///  - launches: `kernel<<<grid, block>>>(arguments)`;
///  - `__shared__` variables, static and `extern`;
///  - `#pragma unroll` and `_Pragma("unroll")`;
///  - `__noinline__`.
///
/// The rest of the text, except for a byte order mark, stays as it is, so that compiler messages
/// and faults name the source's own lines. Accepts any text: code that it does not understand is
/// reported, or left for the compiler to refuse.
Rewritten rewrite(std::string_view source, const RewriteOptions& options = {});

}  // namespace tilewise::simt
