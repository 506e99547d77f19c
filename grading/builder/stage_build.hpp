#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/compiler_message.hpp"
#include "grading/builder/module_cache.hpp"
#include "grading/builder/quotations.hpp"
#include "grading/builder/toolchain.hpp"
#include "grading/course/stages.hpp"

namespace tilewise::grading {

/// One build of one stage, in steps that may overlap with those of other builds.
class Build {
 public:
  /// @throws std::runtime_error if there is no such stage, or if the tools are missing
  Build(const BuildRequest& request, const std::function<void()>& meanwhile);

  /// Takes the module of an earlier build, or starts to build its sources.
  void start();

  /// Judges the preprocessor's output, and starts to compile it.
  void start_compiling();

  void start_linking();
  BuildResult finish();

 private:
  // The steps (builder.cpp).

  bool fetch(const std::string& key, const std::filesystem::path& file) const;
  void keep(const std::string& key, const std::filesystem::path& file) const;
  void end(BuildResult built);
  void succeed();

  /// Waits for the commands that have been started. Returns whether the build goes on.
  bool finish_tools(std::string_view step);

  BuildResult read_sources();
  void write_source(std::size_t i) const;

  /// Judges the objects of all files of the stage at once, since these may call each other. Returns
  /// whether the build goes on.
  bool judge_objects();

  RunningCommand start_tool(std::vector<std::string> arguments,
                            const ToolLimits& limits = {}) const;
  BuildResult explained(const CommandResult& result, std::string_view step) const;
  std::vector<ContractFunction> contract_functions() const;

  // The commands of the steps, the files that they read and write, and the keys under which these
  // are kept (build_commands.cpp).

  bool preprocesses() const { return !tools_.preprocess.empty(); }
  std::vector<std::string> preprocess_command(std::size_t i) const;
  std::vector<std::string> compile_command(std::size_t i) const;

  /// Returns the command that puts device functions into one section, so that calls by pointers can
  /// tell them from others.
  std::vector<std::string> gather_command(std::size_t i,
                                          const std::vector<std::string>& sections) const;

  /// Writes the functions that kernels call instead of host functions. They jump as a call by a
  /// pointer does, which is refused on the device when it happens
  /// (common/simt/runtime/indirect_calls.cpp).
  void write_host_calls() const;

  std::vector<std::string> link_command() const;

  /// Returns the folder that holds labs/.
  std::filesystem::path submission() const { return folder_.parent_path().parent_path(); }

  /// Returns the text without our temporary file names, which mean nothing to a student.
  std::string without_scratch(std::string text) const;

  /// Returns everything that the object of a source depends on. All contracts of the stage count,
  /// because one may include another.
  std::string object_key(std::size_t i) const;
  std::string calls_key(std::size_t i) const { return object_key(i) + "\ncalls"; }
  std::string module_key() const;

  std::filesystem::path contract(const std::string& source) const;
  std::filesystem::path source_path(std::size_t i) const;
  std::filesystem::path preprocessed_path(std::size_t i) const;
  std::filesystem::path object_path(std::size_t i) const;
  std::filesystem::path dump_path(std::size_t i) const;
  std::filesystem::path accesses_path(std::size_t i) const;
  std::filesystem::path calls_path(std::size_t i) const;
  std::filesystem::path host_calls_path() const { return scratch_ / "host_calls.s"; }
  /// Returns the file that is linked for an object.
  std::filesystem::path linked_path(std::size_t i) const;

  const std::function<void()>& meanwhile_;
  std::optional<ModuleCache> cache_ = course_cache();
  bool is_judged_ = true;
  const StageInfo& stage_;
  Toolchain tools_;
  std::filesystem::path binding_;
  Sandbox sandbox_;
  std::filesystem::path scratch_;
  std::filesystem::path module_;
  std::filesystem::path folder_;    ///< the student's folder
  std::vector<std::string> names_;  ///< the sources' names in messages
  Quotations quotations_;
  std::vector<std::string> texts_;    ///< the texts as handed in, in the order of the stage's files
  std::vector<std::string> sources_;  ///< the texts that the compiler gets
  std::vector<std::string> host_functions_;  ///< the host functions that kernels refer to
  std::string key_;                          ///< the module's key in the cache
  std::vector<std::size_t> compiling_;       ///< the sources whose objects were not in the cache
  std::vector<RunningCommand> running_;
  std::optional<BuildResult> built_;  ///< the result, once there is one
};

}  // namespace tilewise::grading
