#include "grading/builder/builder.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "common/process/command.hpp"
#include "grading/builder/compiler_message.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/object_judge.hpp"
#include "grading/builder/source_file.hpp"
#include "grading/builder/stage_build.hpp"
#include "grading/builder/toolchain.hpp"
#include "grading/builder/unseen_calls.hpp"
#include "grading/course/stages.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

// A hundred times the size of the largest solution's module; anything larger holds data.
constexpr std::uintmax_t largest_module_bytes = std::uintmax_t{32} << 20;

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

}  // namespace

Build::Build(const BuildRequest& request, const std::function<void()>& meanwhile)
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

void Build::start() {
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

void Build::start_compiling() {
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

void Build::start_linking() {
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

BuildResult Build::finish() {
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

bool Build::fetch(const std::string& key, const fs::path& file) const {
  return cache_ && cache_->fetch(key, file);
}

void Build::keep(const std::string& key, const fs::path& file) const {
  if (cache_) cache_->store(key, file);
}

void Build::end(BuildResult built) {
  if (!built.ok) built.finding.kind = "compile";
  built_ = std::move(built);
}

void Build::succeed() {
  BuildResult built;
  built.module = module_;
  built.ok = true;
  end(built);
}

bool Build::finish_tools(std::string_view step) {
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

BuildResult Build::read_sources() {
  for (const std::string& file : stage_.sources) {
    const SourceFile source = read_source(folder_ / file, shown_path(folder_, file), submission());
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

bool Build::judge_objects() {
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

void Build::write_source(std::size_t i) const {
  std::ofstream file(source_path(i), std::ios::binary);
  file << sources_[i] << std::flush;
  if (!file) {
    throw std::runtime_error(tr("cannot write {}", source_path(i).string()));
  }
}

RunningCommand Build::start_tool(std::vector<std::string> arguments,
                                 const ToolLimits& limits) const {
  if (find_program(arguments.front()).empty()) {
    throw std::runtime_error(tr("the compiler {} is not found; put it on PATH", arguments.front()));
  }
  ToolFiles files{tools_.inputs, scratch_, submission()};
  files.readable.push_back(binding_);
  for (const std::string& source : stage_.sources) {
    files.readable.push_back(contract(source));
    files.readable.push_back(folder_ / source);  // compiler messages quote it
  }
  return RunningCommand(tool_command(std::move(arguments), files, sandbox_, limits));
}

BuildResult Build::explained(const CommandResult& result, std::string_view step) const {
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

std::vector<ContractFunction> Build::contract_functions() const {
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
