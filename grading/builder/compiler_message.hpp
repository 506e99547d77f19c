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

/// Turns what a compiler (g++, clang, nvcc) said into a message: the place is that of the first
/// error in one of the student's files (`sources`, as named by the compiler).
BuildResult explain_compile_error(std::string_view output, const std::vector<std::string>& sources);

/// A contract function and its header, as messages call it.
struct ContractFunction {
  std::string name;
  std::string header;       ///< "labs/03_shared_memory/matmul_shared.hpp"
  std::string declaration;  ///< "cudaError_t matmul_shared(const float* A, ...)", empty if unknown
};

/// Turns what a linker said into a message; a contract function that is not defined is named first.
BuildResult explain_link_error(std::string_view output, const std::vector<std::string>& sources,
                               const std::vector<ContractFunction>& functions);

/// The declaration of `function` in a header's text, on one line; empty if there is none.
std::string find_declaration(const std::string& header, const std::string& function);

/// The first lines of a long text, and how many more there are.
std::string cut_to_screenful(std::string_view text);

/// What the compiler finds odd in sources that compile, as far as it may be why a result is wrong:
/// a variable that is read before it is set, a value that is computed and not used. One line each:
/// "labs/02_multi_block_grid/matmul_grid.cu:17: 'sum' is used uninitialized". Empty where this
/// build has no simulator. Runs the compiler without a sandbox: for a learner's own files.
/// @param folder that holds the stage's sources
/// @throws Interrupted
std::vector<std::string> compiler_warnings(const std::string& stage_id,
                                           const std::filesystem::path& folder);

/// What stands in sources that compile, and may be meant otherwise; see simt::Remark.
struct SourceRemarks {
  std::string overflow;  ///< "labs/...:17: row * n is an int, ..."; empty: none
  Finding doubt;         ///< why a result may be wrong, and where; without a message: none
  /// A statement that ends sooner or later than it looks, which may be why anything fails.
  Finding statement;
  Finding freed;  ///< where an argument is freed: place alone; line 0: nowhere
};

/// By the words of a stage's sources alone, which no compiler need have seen.
/// @param folder that holds them
SourceRemarks source_remarks(const StageInfo& stage, const std::filesystem::path& folder);

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
