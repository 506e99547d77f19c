#include "grading/builder/builder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "common/process/command.hpp"
#include "grading/builder/compiler_message.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/module_cache.hpp"
#include "grading/builder/object_judge.hpp"
#include "grading/builder/quotations.hpp"
#include "grading/builder/source_file.hpp"
#include "grading/builder/toolchain.hpp"
#include "grading/builder/unseen_calls.hpp"
#include "grading/course/stages.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

// A hundred times the size of the largest solution's module; anything larger holds data.
constexpr std::uintmax_t largest_module_bytes = std::uintmax_t{32} << 20;

// The beginning of the names that replace host functions in calls; a number follows.
constexpr std::string_view host_call = "tilewise_simt_host_call_";

const StageInfo& stage_info(const std::string& id) {
  const auto found = std::ranges::find(stages(), id, &StageInfo::id);
  if (found == stages().end()) throw std::runtime_error("there is no stage " + id);
  return *found;
}

BuildResult refusal(std::string message, std::string hint, const std::string& file = "") {
  BuildResult built;
  built.finding.message = std::move(message);
  built.finding.hint = std::move(hint);
  built.finding.file = file;
  return built;
}

/// Returns what "native" in a compiler's options stands for. It is part of the key, because a build
/// folder may be carried to, or shared with, a machine of another kind.
std::string this_machine() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  const std::string cpus = core::text_of("/proc/cpuinfo");  // empty where there is no /proc
  const std::size_t flags = std::min(cpus.find("\nflags"), cpus.find("\nFeatures"));
  if (flags == cpus.npos) return name;
  return name + cpus.substr(flags, cpus.find('\n', flags + 1) - flags);
}

BuildResult expands_too_far() {
  return refusal(
      tr("What macros and includes expand to has more than {} MiB, or takes more than {:.0f} "
         "s.",
         preprocessor_limits.file_bytes >> 20, preprocessor_limits.time_s),
      tr("Look for a macro that stands for itself several times over, and for a file that includes "
         "itself."));
}

bool holds_data(const fs::path& compiled) {
  std::error_code unknown;
  const std::uintmax_t bytes = fs::file_size(compiled, unknown);
  return !unknown && bytes > largest_module_bytes;
}

BuildResult too_large(const std::string& file) {
  return refusal(tr("{} takes more than {} MiB once it is compiled.",
                    file.empty() ? tr("What was handed in") : file, largest_module_bytes >> 20),
                 tr("Leave large arrays with initial values out of the kernel file; what a kernel "
                    "works on comes "
                    "by its arguments."),
                 file);
}

/// One build of one stage, in steps that may overlap with those of other builds.
class Build {
 public:
  Build(const BuildRequest& request, const std::function<void()>& meanwhile)
      : meanwhile_(meanwhile),
        stage_(stage_info(request.stage_id)),
        tools_(toolchain(request.backend, request.flavour, request.stage_id, request.covered)),
        binding_(binding_object(request.backend, request.stage_id)),
        // nvcc asks a GPU for its architecture.
        sandbox_{request.bubblewrap, request.backend == Backend::cuda},
        scratch_(flavour_folder(request.scratch, request.flavour)),
        module_(scratch_ / (request.stage_id + ".so")) {
    const fs::path folder = fs::absolute(request.source_directory).lexically_normal();
    // "labs/NN_topic/" has an empty last component.
    folder_ = folder.has_filename() ? folder : folder.parent_path();
    if (request.uses_cublas) add_cublas(tools_);
    // An object names the file for its counts, so it cannot be reused.
    if (request.covered) cache_.reset();
    // Counting needs functions of the compiler in kernels, and a debugger needs code as it was
    // written. Both are only for code that is trusted, and so is cuBLAS.
    if (request.varied) add_variants(tools_, request.optimised);
    is_judged_ = !request.covered && !request.varied && !request.uses_cublas &&
                 request.flavour != Flavour::debug;
    fs::create_directories(scratch_);
  }

  /// Takes the module of an earlier build, or starts to build its sources.
  void start() {
    if (BuildResult problem = read_sources(); !problem.finding.message.empty()) return end(problem);
    key_ = module_key();
    if (fetch(key_, module_)) return succeed();
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      // A student edits one of several files at a time, so the others' objects may still be there.
      if (fetch(object_key(i), object_path(i)) && fetch(calls_key(i), calls_path(i))) continue;
      write_source(i);
      compiling_.push_back(i);
      running_.push_back(preprocesses() ? start_tool(preprocess_command(i), preprocessor_limits)
                                        : start_tool(compile_command(i)));
    }
  }

  /// Judges the preprocessor's output, and starts to compile it.
  void start_compiling() {
    if (!preprocesses() || !finish_tools("preprocessing")) return;
    for (const std::size_t i : compiling_) {
      const PreparedSource left = tools_.judge(core::text_of(preprocessed_path(i)), names_[i]);
      if (is_judged_ && !left.problem.empty()) {
        return end(explain_compile_error(left.problem, names_));
      }
      quotations_.add(texts_[i], "\n" + left.text);
      running_.push_back(start_tool(compile_command(i)));
    }
  }

  void start_linking() {
    if (!finish_tools("compiling")) return;
    for (const std::size_t i : compiling_) {
      if (holds_data(object_path(i))) return end(too_large(stage_.sources[i]));
    }
    for (const std::size_t i : compiling_) {
      std::ofstream(calls_path(i), std::ios::binary)
          << to_text(unseen_calls_in(core::text_of(dump_path(i))))
          << to_text(unbounded_accesses_in(core::text_of(accesses_path(i)),
                                           kernel_types_of(object_path(i))));
      keep(object_key(i), object_path(i));
      keep(calls_key(i), calls_path(i));
    }
    if (is_judged_ && !judge_objects()) return;
    running_.push_back(start_tool(link_command()));
  }

  BuildResult finish() {
    if (finish_tools("linking")) {
      if (holds_data(module_)) {
        end(too_large(""));
      } else {
        keep(key_, module_);
        succeed();
      }
    }
    return *built_;
  }

 private:
  bool fetch(const std::string& key, const fs::path& file) const {
    return cache_ && cache_->fetch(key, file);
  }

  void keep(const std::string& key, const fs::path& file) const {
    if (cache_) cache_->store(key, file);
  }

  void end(BuildResult built) {
    if (!built.ok) built.finding.kind = "compile";
    built_ = std::move(built);
  }

  void succeed() {
    BuildResult built;
    built.module = module_;
    built.ok = true;
    end(built);
  }

  /// Waits for the commands that have been started. Returns whether the build goes on.
  bool finish_tools(std::string_view step) {
    std::vector<RunningCommand> running = std::exchange(running_, {});
    for (RunningCommand& command : running) {
      while (meanwhile_ && !command.is_over()) meanwhile_();
      const CommandResult result = command.wait();
      if (result.ending == CommandResult::Ending::not_started) {
        throw std::runtime_error(
            tr("the compiler {} {}", tools_.compile.front(), describe_ending(result)));
      }
      if (result.succeeded() || built_) continue;
      end(explained(result, step));
      built_->output = result.output;
    }
    return !built_;
  }

  BuildResult read_sources() {
    for (const std::string& file : stage_.sources) {
      const SourceFile source =
          read_source(folder_ / file, shown_path(folder_, file), submission());
      if (!source.problem.empty()) return refusal(source.problem, source.hint, file);
      names_.push_back(source.name);
      const PreparedSource prepared = tools_.prepare(source);
      if (!prepared.problem.empty()) return explain_compile_error(prepared.problem, names_);
      quotations_.add(source.text, prepared.text);
      sources_.push_back(prepared.text);
      texts_.push_back(source.text);
    }
    return {};
  }

  bool preprocesses() const { return !tools_.preprocess.empty(); }

  std::vector<std::string> preprocess_command(std::size_t i) const {
    std::vector<std::string> command = tools_.compile;
    std::ranges::copy(tools_.preprocess, std::back_inserter(command));
    // The contract is included first, so that a function that differs from it is an error in the
    // place where it stands.
    command.insert(command.end(), {"-include", contract(stage_.sources[i])});
    command.insert(command.end(), {"-E", source_path(i), "-o", preprocessed_path(i)});
    return command;
  }

  std::vector<std::string> compile_command(std::size_t i) const {
    std::vector<std::string> command = tools_.compile;
    if (!tools_.compile_through.empty()) command.insert(command.begin(), tools_.compile_through);
    if (!preprocesses()) {
      command.insert(command.end(), {"-include", contract(stage_.sources[i])});
    }
    const fs::path source = preprocesses() ? preprocessed_path(i) : source_path(i);
    if (tools_.dumps_statements) {
      command.push_back("-fdump-tree-optimized-lineno=" + dump_path(i).string());
      command.push_back("-fdump-tree-tsan-lineno=" + accesses_path(i).string());
      // Writes debug information on all types, because the dumps give only their names, and none
      // that would add statements to the dumps.
      command.insert(command.end(), {"-g", "-fno-eliminate-unused-debug-types",
                                     "-fno-var-tracking-assignments", "-gno-statement-frontiers"});
    }
    command.insert(command.end(), {"-c", source, "-o", object_path(i)});
    return command;
  }

  /// Judges the objects of all files of the stage at once, since these may call each other. Returns
  /// whether the build goes on.
  bool judge_objects() {
    std::vector<CompiledSource> compiled;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      compiled.push_back({object_path(i), names_[i], texts_[i],
                          from_text(core::text_of(calls_path(i))),
                          tools_.host_lines ? tools_.host_lines(texts_[i]) : HostLines{}});
    }
    ObjectVerdict verdict;
    if (tools_.simulator.empty()) {
      verdict.problems = judge_cuda_objects(compiled);
    } else {
      verdict = judge_simulator_objects(compiled, tools_.simulator);
    }
    if (!verdict.problems.empty()) {
      end(explain_compile_error(verdict.problems, names_));
      return false;
    }
    host_functions_ = verdict.host_functions;
    for (std::size_t i = 0; i < verdict.device_sections.size(); ++i) {
      running_.push_back(start_tool(gather_command(i, verdict.device_sections[i])));
    }
    if (!host_functions_.empty()) write_host_calls();
    return finish_tools("linking");
  }

  /// Returns the command that puts device functions into one section, so that calls by pointers can
  /// tell them from others.
  std::vector<std::string> gather_command(std::size_t i,
                                          const std::vector<std::string>& sections) const {
    // The options go into a file, because there may be more of them than a command may have
    // arguments.
    const fs::path list = linked_path(i).replace_extension(".sections");
    std::ofstream file(list);
    for (const std::string& section : sections) {
      file << fmt::format("--rename-section '{}={}'\n", section, device_code_section);
    }
    for (std::size_t host = 0; host < host_functions_.size(); ++host) {
      file << fmt::format("--redefine-sym '{}={}{}'\n", host_functions_[host], host_call, host);
    }
    return {"objcopy", "@" + list.string(), object_path(i), linked_path(i)};
  }

  /// Writes the functions that kernels call instead of host functions. They jump as a call by a
  /// pointer does, which is refused on the device when it happens
  /// (common/simt/runtime/indirect_calls.cpp).
  void write_host_calls() const {
    std::ofstream file(host_calls_path());
    file << ".section .note.GNU-stack, \"\", @progbits\n.text\n";
    for (std::size_t host = 0; host < host_functions_.size(); ++host) {
      file << fmt::format(
          ".globl {0}{1}\n.hidden {0}{1}\n.type {0}{1}, @function\n{0}{1}: endbr64\n"
          "movq {2}@GOTPCREL(%rip), %r11\njmp __x86_indirect_thunk_r11\n",
          host_call, host, host_functions_[host]);
    }
  }

  std::vector<std::string> link_command() const {
    std::vector<std::string> command = tools_.link;
    for (std::size_t i = 0; i < sources_.size(); ++i) command.push_back(linked_path(i));
    if (!host_functions_.empty()) command.push_back(host_calls_path());
    command.push_back(binding_);
    command.insert(command.end(), tools_.libraries.begin(), tools_.libraries.end());
    command.insert(command.end(), {"-o", module_});
    return command;
  }

  void write_source(std::size_t i) const {
    std::ofstream file(source_path(i), std::ios::binary);
    file << sources_[i] << std::flush;
    if (!file) {
      throw std::runtime_error(tr("cannot write {}", source_path(i).string()));
    }
  }

  /// Returns the folder that holds labs/.
  fs::path submission() const { return folder_.parent_path().parent_path(); }

  RunningCommand start_tool(std::vector<std::string> arguments,
                            const ToolLimits& limits = {}) const {
    if (find_program(arguments.front()).empty()) {
      throw std::runtime_error(
          tr("the compiler {} is not found; put it on PATH", arguments.front()));
    }
    ToolFiles files{tools_.inputs, scratch_, submission()};
    files.readable.push_back(binding_);
    for (const std::string& source : stage_.sources) {
      files.readable.push_back(contract(source));
      files.readable.push_back(folder_ / source);  // compiler messages quote it
    }
    return RunningCommand(tool_command(std::move(arguments), files, sandbox_, limits));
  }

  BuildResult explained(const CommandResult& result, std::string_view step) const {
    const bool wrote_too_much = std::ranges::any_of(
        // The words with which a compiler, the assembler and the linker say that a file may not
        // grow further.
        std::array{"File too large", "File size limit exceeded", "No space left on device"},
        [&](const char* words) { return result.output.find(words) != result.output.npos; });
    const bool timed_out = result.ending == CommandResult::Ending::timed_out;
    if (step == "preprocessing" && (timed_out || wrote_too_much)) return expands_too_far();
    if (timed_out) {
      return refusal(tr("{} took longer than {} s and was stopped.",
                        step == "compiling" ? tr("Compiling") : tr("Linking"), tool_time_limit_s),
                     tr("Make templates less deep and unrolled loops shorter."));
    }
    if (wrote_too_much) return too_large("");
    std::string output = without_scratch(result.output);
    if (output.empty()) {
      const std::string ended = describe_ending(result);
      output = step == "linking"         ? tr("The compiler {} while linking.", ended)
               : step == "preprocessing" ? tr("The compiler {} while preprocessing.", ended)
                                         : tr("The compiler {} while compiling.", ended);
    }
    if (step != "linking") return explain_compile_error(quotations_.restore(output), names_);
    return explain_link_error(output, names_, contract_functions());
  }

  /// Returns the text without our temporary file names, which mean nothing to a student.
  std::string without_scratch(std::string text) const {
    const std::string prefix = scratch_.string() + "/";
    for (std::size_t at; (at = text.find(prefix)) != text.npos;) text.erase(at, prefix.size());
    return text;
  }

  std::vector<ContractFunction> contract_functions() const {
    std::vector<ContractFunction> functions;
    for (const std::string& name : stage_.functions) {
      for (const std::string& source : stage_.sources) {
        const fs::path header = contract(source);
        std::string declaration = find_declaration(core::text_of(header), name);
        if (declaration.empty()) continue;
        functions.push_back(
            {name, header.lexically_relative(layout().root).string(), std::move(declaration)});
      }
    }
    return functions;
  }

  /// Returns everything that the object of a source depends on. All contracts of the stage count,
  /// because one may include another.
  std::string object_key(std::size_t i) const {
    // The executable is part of the key, because another version may judge by other rules. So is
    // the sandbox, in which a source finds less to include.
    std::error_code unknown;
    std::string key = stamp(fs::read_symlink("/proc/self/exe", unknown)) + this_machine() +
                      (sandbox_ ? "\nin a sandbox\n" : "\n");
    for (const std::string& word : compile_command(i)) key += without_scratch(word) + "\n";
    if (preprocesses()) {
      for (const std::string& word : preprocess_command(i)) key += without_scratch(word) + "\n";
    }
    for (const std::string& source : stage_.sources) key += stamp(contract(source));
    for (const fs::path& input : tools_.inputs) key += stamp(input);
    key += stamp(find_program(tools_.compile.front()));
    return key + fmt::format("{}\n{}", sources_[i].size(), sources_[i]);
  }

  std::string module_key() const {
    std::string key = stamp(binding_);
    for (const std::string& word : link_command()) key += without_scratch(word) + "\n";
    for (std::size_t i = 0; i < sources_.size(); ++i) key += object_key(i);
    return key;
  }

  fs::path contract(const std::string& source) const {
    return layout().root / "labs" / stage_.id / fs::path(source).replace_extension(".hpp");
  }
  fs::path source_path(std::size_t i) const {
    return scratch_ / fs::path(stage_.sources[i]).replace_extension(tools_.source_extension);
  }
  fs::path preprocessed_path(std::size_t i) const {
    return scratch_ / fs::path(stage_.sources[i]).replace_extension(".ii");
  }
  fs::path object_path(std::size_t i) const {
    return scratch_ / fs::path(stage_.sources[i]).replace_extension(".o");
  }
  fs::path dump_path(std::size_t i) const { return object_path(i).replace_extension(".dump"); }
  fs::path accesses_path(std::size_t i) const {
    return object_path(i).replace_extension(".accesses");
  }
  fs::path calls_path(std::size_t i) const { return object_path(i).replace_extension(".calls"); }
  fs::path host_calls_path() const { return scratch_ / "host_calls.s"; }
  std::string calls_key(std::size_t i) const { return object_key(i) + "\ncalls"; }
  /// Returns the file that is linked for an object.
  fs::path linked_path(std::size_t i) const {
    const bool is_gathered = is_judged_ && !tools_.simulator.empty();
    return is_gathered ? object_path(i).replace_extension(".device.o") : object_path(i);
  }

  const std::function<void()>& meanwhile_;
  std::optional<ModuleCache> cache_ = course_cache();
  bool is_judged_ = true;
  const StageInfo& stage_;
  Toolchain tools_;
  fs::path binding_;
  Sandbox sandbox_;
  fs::path scratch_;
  fs::path module_;
  fs::path folder_;                 ///< the student's folder
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

}  // namespace

std::string shown_path(const fs::path& source_directory, const std::string& file) {
  return source_directory.parent_path().filename() / source_directory.filename() / file;
}

fs::path flavour_folder(const fs::path& scratch, Flavour flavour) {
  switch (flavour) {
    case Flavour::fast:
      return scratch / "fast";
    case Flavour::checked:
      return scratch / "checked";
    case Flavour::debug:
      return scratch / "debug";
  }
  throw std::logic_error("no such flavour");
}

BuildResult build_module(const BuildRequest& request) { return build_modules({request}).front(); }

std::vector<BuildResult> build_modules(const std::vector<BuildRequest>& requests,
                                       const std::function<void()>& meanwhile) {
  std::vector<Build> builds;
  for (const BuildRequest& request : requests) builds.emplace_back(request, meanwhile);
  for (Build& build : builds) build.start();
  for (Build& build : builds) build.start_compiling();
  for (Build& build : builds) build.start_linking();
  std::vector<BuildResult> all_built;
  for (Build& build : builds) all_built.push_back(build.finish());
  return all_built;
}

}  // namespace tilewise::grading
