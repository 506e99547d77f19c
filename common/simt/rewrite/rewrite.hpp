#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::simt {

/// CUDA the simulator cannot take, and what to write in its place.
struct RewriteError {
  int line;  ///< in the source, from 1
  std::string message;
};

/// C++ that a host compiler takes, or the reasons why there is none.
struct Rewritten {
  std::string text;                  ///< as many lines as the source, every token on its own line
  std::string prologue;              ///< lines to go in front of it; often none
  std::vector<RewriteError> errors;  ///< in the order of their lines; empty when all went well
};

struct RewriteOptions {
  /// For the checked build: every loop of device code tells the run-time when a thread has left it
  /// (docs/decisions, "loop exits"), no `#pragma unroll` is kept, and variables in device memory
  /// are marked (device_variables.hpp).
  bool mark_loop_exits = false;
  /// For whole programs, beside `mark_loop_exits`: a thread's own variables are marked, too
  /// (private_variables.hpp). Their loads and stores then report themselves.
  bool watch_private_variables = false;
  /// An identifier that makes names of this file's own different from those of others that one
  /// source includes. Then the prologue may be included again and again. Empty: the only file.
  std::string file_tag = {};
  /// What the files that it includes have: all their words, of which some may be functions and
  /// variables by the names of its own, and their macros, of which some may be qualifiers.
  std::set<std::string, std::less<>> words_elsewhere = {}, macros_elsewhere = {};
};

/// Turns what CUDA adds to C++'s grammar into calls of the simulator's run-time:
///  - launches: `kernel<<<grid, block>>>(arguments)`;
///  - `__shared__` variables, static and `extern`;
///  - `#pragma unroll` and `_Pragma("unroll")`;
///  - `__noinline__`.
///
/// All else but a byte order mark stays as it is, so that compiler messages and faults name the
/// source's own lines. Takes any text: what it does not understand it reports or leaves for the
/// compiler to refuse.
Rewritten rewrite(std::string_view source, const RewriteOptions& options = {});

}  // namespace tilewise::simt
