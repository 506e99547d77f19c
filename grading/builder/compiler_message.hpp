#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grading/builder/builder.hpp"
#include "grading/course/stages.hpp"

namespace tilewise::grading {

/// Turns the output of a compiler (g++, clang, nvcc) into a message. Its place is that of the first
/// error in one of the student's files (`sources`, as the compiler names them).
BuildResult explain_compile_error(std::string_view output, const std::vector<std::string>& sources);

/// A contract function and its header, as messages name them.
struct ContractFunction {
  std::string name;
  std::string header;       ///< "labs/03_shared_memory/matmul_shared.hpp"
  std::string declaration;  ///< "cudaError_t matmul_shared(const float* A, ...)", empty if unknown
};

/// Turns the output of a linker into a message; a contract function that is not defined is named
/// first.
BuildResult explain_link_error(std::string_view output, const std::vector<std::string>& sources,
                               const std::vector<ContractFunction>& functions);

/// Returns the declaration of `function` in a header's text, on one line; empty if there is none.
std::string find_declaration(const std::string& header, const std::string& function);

/// Returns the first lines of a long text, and how many more there are.
std::string cut_to_screenful(std::string_view text);

/// Returns the compiler's warnings about sources that compile, as far as they may explain a wrong
/// result: a variable that is read before it is set, a value that is computed and not used. Each
/// takes one line: "labs/02_multi_block_grid/matmul_grid.cu:17: 'sum' is used uninitialized". Empty
/// where this build has no simulator. Runs the compiler without a sandbox, and so is for a
/// learner's own files.
/// @param folder the folder of the stage's sources
/// @throws Interrupted
std::vector<std::string> compiler_warnings(const std::string& stage_id,
                                           const std::filesystem::path& folder);

/// Remarks on sources that compile but may not do what is meant; see simt::Remark.
struct SourceRemarks {
  std::string overflow;  ///< "labs/...:17: row * n is an int, ..."; empty: none
  Finding doubt;         ///< why a result may be wrong, and where; without a message: none
  /// A statement that ends sooner or later than it seems to, which may be why anything fails.
  Finding statement;
  Finding freed;  ///< where an argument is freed: only the place; line 0: nowhere
};

/// Returns remarks on a stage's sources, judging by their tokens alone; no compiler need have seen
/// them.
/// @param folder the folder of the sources
SourceRemarks source_remarks(const StageInfo& stage, const std::filesystem::path& folder);

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
