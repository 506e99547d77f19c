#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace tilewise::grading {

/// Puts the student's own lines into a compiler's messages. g++ quotes them from the file that
/// `#line` names, but clang quotes the text that it compiled, which is the rewritten one.
class Quotations {
 public:
  /// @param own       a source as the student wrote it
  /// @param compiled  the same lines as the compiler got them, after a first line with `#line`
  void add(std::string_view own, std::string_view compiled);

  /// Returns the message with every quoted line that was rewritten replaced by the student's line,
  /// without the caret below it, which points into the rewritten line.
  std::string restore(std::string_view message) const;

 private:
  std::map<std::string, std::string, std::less<>> own_lines_;  ///< the key is the compiled line
};

}  // namespace tilewise::grading
