#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::grading {

/// A token of the preprocessor's output, and where it came from.
struct PreprocessedToken {
  simt::rewriting::Token token;
  bool is_own;  ///< the token stands in the student's file and not in a header
  /// The line in the student's file; for a token of a header, that of the `#include` that led
  /// there.
  int line;
};

/// The output of a compiler's -E for a source.
class PreprocessedText {
 public:
  /// @param text must outlive this object
  /// @param own  the student's file, by its name in `#line`
  PreprocessedText(std::string_view text, std::string_view own);

  /// Returns the tokens without the line markers, but with pragmas, as directives.
  const std::vector<PreprocessedToken>& tokens() const { return tokens_; }

  /// A header that was included, and the line of the student's file that led to it.
  struct Header {
    std::string path;
    int line;
  };
  const std::vector<Header>& headers() const { return headers_; }

  /// Returns the student's file after preprocessing, line by line; a line that became nothing is
  /// empty.
  std::string own_lines() const;

 private:
  void read_marker(const std::vector<simt::rewriting::Token>& tokens, std::size_t marker,
                   std::string_view own);

  std::vector<PreprocessedToken> tokens_;
  std::vector<Header> headers_;
  std::map<int, std::string> lines_;  ///< the lines of the student's file
  std::string file_;                  ///< the file of the current line
  int marked_line_ = 0;               ///< the number that the last marker gives the line after it
  int marker_line_ = 0;               ///< the line of that marker in the text
  int own_line_ = 1;
  std::size_t foreign_headers_ = 0;  ///< index of the first header whose #include is not known yet
  std::size_t foreign_tokens_ = 0;
};

}  // namespace tilewise::grading
