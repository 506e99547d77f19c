#include "grading/check/program_build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "common/base/language.hpp"
#include "common/process/command.hpp"
#include "common/simt/device_functions.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/quotations.hpp"
#include "grading/builder/toolchain.hpp"
#include "grading/check/device_module.hpp"
#include "grading/check/program_sources.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

bool has_option(const Words& words, std::string_view prefix) {
  return std::ranges::any_of(words,
                             [&](const std::string& word) { return word.starts_with(prefix); });
}

bool is_c(const fs::path& source) { return source.extension() == ".c"; }

void demand_readable(const fs::path& source) {
  std::error_code unknown;
  if (!fs::exists(source, unknown)) {
    throw CannotGrade(tr("there is no {}", source.string()));
  }
  if (!fs::is_regular_file(source, unknown)) {
    throw CannotGrade(tr("{} is no file", source.string()));
  }
  if (!std::ifstream(source)) throw CannotGrade(tr("cannot read {}", source.string()));
}

class Builder {
 public:
  /// @param split  the tools that split the kernels of a fast program
  Builder(const CompilerWords& words, Flavour flavour, const fs::path& scratch,
          const std::optional<SplitTools>& split)
      : words_(words),
        checked_(flavour == Flavour::checked),
        scratch_(scratch),
        split_(split),
        compiler_(split ? split->compiler : cxx_compiler()),
        sources_(scratch / "tree", words.include_folders, checked_) {}

  ProgramBuild build() {
    std::vector<std::pair<fs::path, fs::path>> files;  // the user's file and the one to compile
    for (const fs::path& source : words_.sources) {
      demand_readable(source);
      files.emplace_back(source, is_cuda(source) ? sources_.add(source) : source);
      if (!words_.makes_module || !is_cuda(source)) continue;
      std::ifstream text(source);
      std::ofstream(files.back().second, std::ios::app)
          << ways_into({std::istreambuf_iterator<char>(text), {}});
    }
    if (!sources_.problems().empty()) return {.result = {}, .messages = sources_.problems()};
    Words objects;
    std::vector<RunningCommand> running;
    for (const auto& [source, compiled] : files) {
      const fs::path object = object_of(source, objects.size());
      running.push_back(start(compile_command(source, compiled, object)));
      objects.push_back(object);
    }
    ProgramBuild built;
    for (RunningCommand& command : running) built.messages += messages_of(command.wait());
    if (!built.messages.empty()) return built;
    built.result = words_.only_compiles ? fs::path(objects.front()) : program();
    if (!words_.only_compiles) {
      CommandResult linked = start(link_command(objects)).wait();
      if (!linked.succeeded() && is_defined_in_headers(linked.output)) {
        Words command = link_command(objects);
        command.emplace_back("-Wl,-z,muldefs");
        linked = start(std::move(command)).wait();
      }
      built.messages = link_messages_of(linked);
    }
    built.ok = built.messages.empty();
    if (built.ok) write_depfile(built.result);
    if (built.ok && split_) built.kernels = read_split_report(split_report());
    return built;
  }

 private:
  bool is_cuda(const fs::path& source) const {
    return words_.all_are_cuda || source.extension() == ".cu";
  }

  /// Writes a rule for make: the result, a colon, and the files that it was made of.
  void write_depfile(const fs::path& result) const {
    if (words_.depfile.empty()) return;
    const auto in_makefile = [](const fs::path& path) {
      std::string text;
      for (const char c : path.string()) {
        if (c == ' ' || c == '#') text += '\\';
        if (c == '$') text += '$';
        text += c;
      }
      return text;
    };
    std::string rule = in_makefile(result) + ":";
    for (const fs::path& file : sources_.files()) rule += " \\\n  " + in_makefile(file);
    write_output(words_.depfile, rule + "\n");
  }

  fs::path split_report() const { return scratch_ / "split_report"; }
  fs::path program() const { return words_.output.empty() ? scratch_ / "program" : words_.output; }

  fs::path object_of(const fs::path& source, std::size_t number) const {
    if (words_.only_compiles && !words_.output.empty()) return words_.output;
    if (words_.only_compiles) return source.filename().replace_extension(".o");
    return scratch_ / fmt::format("{}_{}.o", number, source.stem().string());
  }

  Words compile_command(const fs::path& source, const fs::path& compiled,
                        const fs::path& object) const {
    const fs::path facade = layout().root / "common" / "simt" / "include";
    const bool cuda = is_cuda(source);
    Words command = compiler_;
    if (cuda && checked_ && is_clang(compiler_)) {
      command.insert(command.begin(), tool("tilewise-whole-copies"));
    }
    if (cuda) append(command, cuda_options());
    append(command, words_.compile);
    if (cuda && checked_) {
      // These come after the user's options, because a user's -O would generate code that the
      // checks are not made for.
      append(command, reporting_options(compiler_));
      // These disable speculative loads, which would be reported as uses of uninitialised
      // variables. They also distinguish volatile accesses, with which a host may wait for a
      // kernel.
      append(command, is_clang(compiler_)
                          ? Words{"-mllvm", "-tsan-distinguish-volatile"}
                          : Words{"-fno-tree-loop-im", "-fno-tree-pre", "-fno-ssa-phiopt",
                                  "--param=tsan-distinguish-volatile=1"});
    } else if (!has_option(words_.compile, "-O")) {
      command.push_back(cuda ? "-O3" : "-O2");
    }
    append(command, {"-g1", "-gdwarf-4", "-fdiagnostics-color=never", "-fPIC"});
    // __managed__ variables cannot exist for submissions, whose device memory is in another
    // process.
    if (cuda) append(command, {"-D__managed__=", "-include", facade / "cuda_runtime.h"});
    append(command, {"-I", facade});
    if (!sources_.allocates_by_its_own()) command.emplace_back("-DTILEWISE_NAMES_ALLOCATIONS");
    for (const fs::path& folder : sources_.folders_to_include()) append(command, {"-I", folder});
    for (const fs::path& folder : words_.include_folders) append(command, {"-I", folder});
    if (!is_c(source)) append(command, toolkit_options());
    if (cuda)
      append(command, {"-iquote", source.parent_path().empty() ? "." : source.parent_path()});
    append(command, words_.preprocess);
    if (is_c(source) && !cuda) append(command, {"-x", "c"});
    if (cuda && split_) command.push_back("-fpass-plugin=" + split_->pass.string());
    append(command, {"-c", compiled, "-o", object});
    return command;
  }

  /// Returns the options with which submissions are compiled (grading/builder), except those that
  /// judge and confine them.
  Words cuda_options() const {
    Words options;
    if (!has_option(words_.compile, "-std=")) options.emplace_back("-std=c++17");
    append(options, {"-march=native", "-fno-semantic-interposition", "-fno-finite-loops", "-w",
                     "-U_FORTIFY_SOURCE", "-D_BITS_OPT_RANDOM_H"});
    for (const char* definition : definitions_of_nvcc()) options.emplace_back(definition);
    // This is the value under `nvcc -arch=sm_90`, for the GPU that programs find
    // (common/simt/program).
    options.emplace_back("-DTILEWISE_CUDA_ARCH=900");
    if (checked_) append(options, {"-U__SANITIZE_THREAD__", "-DTILEWISE_CHECKED=1"});
    return options;
  }

  /// Returns the options for the toolkit's Thrust and libcu++, or for those that the compiler finds
  /// by itself. Thrust's device code runs on the host (common/simt/include/thrust). Their own small
  /// floating-point types are disabled, because they need the toolkit's headers for these. The
  /// options also name the toolkit's headers that alone declare some interfaces.
  static Words toolkit_options() {
    Words options = {"-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP",
                     "-DCCCL_DISABLE_FP16_SUPPORT", "-DCCCL_DISABLE_BF16_SUPPORT"};
    std::error_code unknown;
    const fs::path headers = cuda_toolkit() / "include";
    if (fs::is_directory(headers / "cccl", unknown))
      append(options, {"-isystem", headers / "cccl"});
    static constexpr std::array<std::array<const char*, 2>, 5> of_the_toolkit = {
        {{"TILEWISE_CURAND_KERNEL", "curand_kernel.h"},
         {"TILEWISE_CURAND", "curand.h"},
         {"TILEWISE_DRIVER", "cuda.h"},
         {"TILEWISE_EGL", "cudaEGL.h"},
         {"TILEWISE_NVRTC", "nvrtc.h"}}};
    for (const auto& [macro, header] : of_the_toolkit) {
      if (fs::exists(headers / header, unknown)) {
        options.push_back(fmt::format("-D{}=\"{}\"", macro, (headers / header).string()));
      }
    }
    return options;
  }

  Words link_command(const Words& objects) const {
    const fs::path libraries = layout().build / "lib";
    Words command = compiler_;
    append(command, words_.compile);  // -fopenmp links a library
    append(command, objects);
    append(command, words_.linked);
    for (const std::string_view name : simt::wrapped_functions) {
      // With or without checks, a failed assertion ends a kernel's launch, and its clock() is the
      // GPU's.
      if (checked_ || name == "__assert_fail" || name == "clock") {
        command.push_back(fmt::format("-Wl,--wrap={}", name));
      }
    }
    command.emplace_back("-Wl,--no-as-needed");
    // The program that loads a module already contains the checks.
    if (words_.makes_module) {
      append(command, {"-shared", "-Wl,-z,now"});
    } else {
      command.push_back(libraries / "libtilewise_program.so");
    }
    append(command, {libraries / "libtilewise_simt.so", "-Wl,--as-needed", "-lpthread", "-ldl",
                     "-Wl,-rpath," + libraries.string(), "-o", program()});
    return command;
  }

  RunningCommand start(Words arguments) const {
    if (find_program(arguments.front()).empty()) {
      throw std::runtime_error(
          tr("the compiler {} is not found; put it on PATH", arguments.front()));
    }
    Command command;
    command.arguments = std::move(arguments);
    if (split_) command.environment = {{split_report_variable, split_report().string()}};
    return RunningCommand(std::move(command));
  }

  std::string messages_of(const CommandResult& result) const {
    if (result.succeeded()) return "";
    Quotations quotations;
    for (const ProgramSources::Text& text : sources_.texts()) {
      quotations.add(text.own, text.compiled);
    }
    std::string said = quotations.restore(without_tree(result.output));
    if (said.empty()) said = tr("the compiler {}\n", describe_ending(result));
    return said;
  }

  /// Whether all names of the linker's multiple-definition errors may come from headers. nvcc gives
  /// each source that includes them its own `__device__` functions and variables.
  bool is_defined_in_headers(const std::string& said) const {
    static const std::regex several(R"(multiple definition of `([^'(]*))");
    const std::sregex_iterator first(said.begin(), said.end(), several), end;
    return first != end && std::all_of(first, end, [&](const std::smatch& match) {
             std::string name = match[1].str();
             name.erase(0, name.rfind(':') + 1);
             return sources_.has_in_headers(name);
           });
  }

  std::string link_messages_of(const CommandResult& result) const {
    if (result.succeeded()) return "";
    const std::string said = without_tree(result.output);
    if (said.find("undefined reference to `main'") == std::string::npos) return said;
    std::string files;
    for (const fs::path& source : words_.sources) {
      files += (files.empty() ? "" : ", ") + source.string();
    }
    return tr("{}: error: there is no main(): whole programs are checked, by running them\n",
              files);
  }

  /// Removes the names of our own folders, which mean nothing to the user.
  std::string without_tree(std::string text) const {
    for (const std::string& prefix : {(scratch_ / "tree").string(), scratch_.string() + "/"}) {
      for (std::size_t at; (at = text.find(prefix)) != text.npos;) text.erase(at, prefix.size());
    }
    return text;
  }

  const CompilerWords& words_;
  bool checked_;
  fs::path scratch_;
  std::optional<SplitTools> split_;
  Words compiler_;
  ProgramSources sources_;
};

}  // namespace

ProgramBuild build_program(const CompilerWords& words, Flavour flavour, const fs::path& scratch,
                           const std::optional<SplitTools>& split) {
  if (split) {
    ProgramBuild built = Builder(words, flavour, scratch, split).build();
    if (built.ok) return built;
    // If the program itself is wrong, the errors come from the compiler for which it is written.
    fs::remove_all(scratch / "tree");
  }
  return Builder(words, flavour, scratch, std::nullopt).build();
}

}  // namespace tilewise::grading
