#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::grading {

/// A token of what the preprocessor left, and where it came from.
struct PreprocessedToken {
  simt::rewriting::Token token;
  bool is_own;  ///< stands in the student's file, rather than in a header
  /// In the student's file; of a header's token, of the `#include` that led there.
  int line;
};

/// What a compiler's -E made of a source.
class PreprocessedText {
 public:
  /// @param text must outlive this
  /// @param own  the student's file, as its `#line` calls it
  PreprocessedText(std::string_view text, std::string_view own);

  /// Without the line markers; pragmas are among them, as directives.
  const std::vector<PreprocessedToken>& tokens() const { return tokens_; }

  /// A header that came in, and the line of the student's file that led to it.
  struct Header {
    std::string path;
    int line;
  };
  const std::vector<Header>& headers() const { return headers_; }

  /// The student's file as it is after preprocessing, line by line: where a line came to nothing,
  /// an empty one.
  std::string own_lines() const;

 private:
  void read_marker(const std::vector<simt::rewriting::Token>& tokens, std::size_t marker,
                   std::string_view own);

  std::vector<PreprocessedToken> tokens_;
  std::vector<Header> headers_;
  std::map<int, std::string> lines_;  ///< of the student's file
  std::string file_;                  ///< of the current line
  int marked_line_ = 0;               ///< what the last marker calls the line after it
  int marker_line_ = 0;               ///< where that marker is in the text
  int own_line_ = 1;
  std::size_t foreign_headers_ = 0;  ///< those from here on have not found their #include yet
  std::size_t foreign_tokens_ = 0;
};

/// What in a source would have the compiler make code of which the simulator does not see every
/// load and store, or which no GPU has: assembly, attributes and pragmas that switch
/// instrumentation or code generation, intrinsics of the processor, names of the simulator's own.
/// Judged is what the preprocessor left, because that is what is compiled: however a word was put
/// together, and nothing that was left out.
/// @param name of the source in messages
/// @return messages in the form "file:line: error: what", one a line; empty if there are none
std::string judge_text(const PreprocessedText& text, std::string_view name);

}  // namespace tilewise::grading
