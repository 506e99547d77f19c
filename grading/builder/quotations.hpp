#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace tilewise::grading {

/// Puts the student's own lines into what a compiler says. g++ quotes them from the file that
/// `#line` names; clang quotes what it compiled, which is the rewritten text.
class Quotations {
 public:
  /// @param own       a source as the student wrote it
  /// @param compiled  the same lines as the compiler got them, after one with `#line`
  void add(std::string_view own, std::string_view compiled);

  /// The message with every quoted line that was rewritten as the student wrote it, without the
  /// caret below, which points into the rewritten one.
  std::string restore(std::string_view message) const;

 private:
  std::map<std::string, std::string, std::less<>> own_lines_;  ///< by the compiled one
};

}  // namespace tilewise::grading
