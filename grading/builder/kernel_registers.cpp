#include "grading/builder/kernel_registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "common/base/files.hpp"
#include "common/gpu/capability.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/machine_code.hpp"
#include "grading/builder/module_cache.hpp"
#include "grading/builder/source_file.hpp"
#include "grading/builder/toolchain.hpp"
#include "grading/course/stages.hpp"
#if TILEWISE_HAVE_SIMT
#include "grading/builder/host_lines.hpp"
#endif

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Returns the number before `unit` in a list such as "Used 32 registers, 2048 bytes smem"; 0 if
/// there is none.
int number_before(const std::string& line, const std::string& unit) {
  const auto end = line.find(unit);
  if (end == line.npos) return 0;
  const auto before = line.find_last_not_of("0123456789", end - 1);
  return std::atoi(line.substr(before + 1, end - before - 1).c_str());
}

#if TILEWISE_HAVE_SIMT
/// Returns the source as the simulator's compiler takes it: conditionals that the text could have
/// for nvcc alone are resolved, so that the kernels are the same. Where that compiler fails, which
/// the builder reports, returns the source as it is.
std::string as_simulated(const SourceFile& source, const Toolchain& tools, const ToolFiles& files,
                         const Sandbox& sandbox) {
  std::random_device random;
  const std::string mark = fmt::format("tilewise_part_{:08x}{:08x}", random(), random());
  const std::string version = mark + "_version";
  const fs::path marked = files.writable / "marked.cpp";
  std::ofstream(marked, std::ios::binary) << version << " CUDART_VERSION\n"
                                          << with_marks(source.text, mark);
  std::vector<std::string> arguments = tools.compile;
  std::ranges::copy(tools.preprocess, std::back_inserter(arguments));
  const fs::path preprocessed = files.writable / "marked.ii";
  arguments.insert(arguments.end(), {"-E", marked, "-o", preprocessed});
  ToolFiles seen = files;
  std::ranges::copy(tools.inputs, std::back_inserter(seen.readable));
  const CommandResult result =
      run_command(tool_command(std::move(arguments), seen, sandbox, preprocessor_limits));
  if (!result.succeeded()) return source.text;
  const std::string left = core::text_of(preprocessed);
  const std::size_t at = left.find(version + " ");
  if (at == left.npos) return source.text;
  const std::size_t begin = at + version.size() + 1;
  const std::string number = left.substr(begin, left.find('\n', begin) - begin);
  // nvcc has its own version of the run-time, which the text may test, too.
  return fmt::format("#undef CUDART_VERSION\n#define CUDART_VERSION {}\n#line 1 \"{}\"\n{}", number,
                     source.name, without_conditionals(source.text, mark, left));
}
#endif

}  // namespace

std::vector<CompiledKernel> kernels_in(std::string_view ptxas_output) {
  std::vector<CompiledKernel> kernels;
  std::istringstream lines{std::string(ptxas_output)};
  std::string name;
  int local_bytes = 0;
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view begins = "Compiling entry function '";
    if (const auto at = line.find(begins); at != line.npos) {
      const auto first = at + begins.size();
      name = name_of_kernel(line.substr(first, line.find('\'', first) - first));
      name.resize(std::min(name.find('<'), name.size()));
    } else if (line.find(" bytes stack frame") != line.npos) {
      local_bytes = number_before(line, " bytes stack frame");
    } else if (const int registers = number_before(line, " registers"); registers > 0) {
      if (name.empty()) continue;
      const auto shared = static_cast<std::size_t>(number_before(line, " bytes smem"));
      kernels.push_back(
          {std::exchange(name, ""), shared, registers, std::exchange(local_bytes, 0)});
    }
  }
  return kernels;
}

std::vector<std::string> architectures_like(const core::GpuProfile& gpu) {
  if (!core::capability_of(gpu).registers.as_of_today) return {};
  std::vector<std::string> names = {fmt::format("sm_{}{}", gpu.compute_major, gpu.compute_minor)};
  // Programming Guide, "Technical Specifications per Compute Capability": 65,536 registers per SM
  // for 1,024, 1,536 or 2,048 threads.
  const char* alike = gpu.threads_per_sm <= 1024   ? "sm_75"
                      : gpu.threads_per_sm <= 1536 ? "sm_86"
                                                   : "sm_80";
  if (names.front() != alike) names.push_back(alike);
  return names;
}

RegisterCompilation::RegisterCompilation(const std::string& stage_id, const fs::path& folder,
                                         const core::GpuProfile& gpu, const fs::path& scratch,
                                         const Sandbox& sandbox) {
  std::string nvcc;
  try {
    nvcc = cuda_compiler();
  } catch (const std::runtime_error&) {  // it is optional
    return;
  }
  const auto stage = std::ranges::find(stages(), stage_id, &StageInfo::id);
  if (stage == stages().end()) return;
  const fs::path contracts = layout().root / "labs" / stage_id;
  ToolFiles files{.readable = {}, .writable = scratch / "registers", .working_folder = {}};
  files.working_folder = files.writable;
  fs::create_directories(files.writable);
  for (const std::string& source : stage->sources) {
    files.readable.push_back((contracts / source).replace_extension(".hpp"));
  }
  const fs::path headers = headers_for_kernels();
  files.readable.push_back(ptx_header());
#if TILEWISE_HAVE_SIMT
  const Toolchain simulator = toolchain(Backend::simt, Flavour::checked, stage_id);
#endif
  std::vector<SourceFile> texts;
  for (const std::string& source : stage->sources) {
    texts.push_back(read_source(folder / source, shown_path(folder, source), folder.parent_path()));
    if (!texts.back().problem.empty()) return;  // the builder reports that
  }
  for (const std::string& architecture : architectures_like(gpu)) {
    std::vector<std::string> arguments = {nvcc,      "-std=c++17", "-O3",  "-arch=" + architecture,
                                          "-Xptxas", "-v",         "-w",   "-I",
                                          contracts, "-I",         headers};
    // With a single file nvcc writes one output; with several it writes several, into -odir.
    arguments.insert(arguments.end(), {"-cubin", "-odir", files.writable});
    arguments.insert(arguments.end(), stage->sources.begin(), stage->sources.end());
    commands_.push_back(tool_command(std::move(arguments), files, sandbox));
    commands_.back().time_limit_s = 60;  // no longer than a student would wait
  }
  if (commands_.empty()) return;

  key_ = stamp(find_program(nvcc)) + (sandbox ? "in a sandbox\n" : "\n");
  for (const std::string& word : commands_.front().arguments) {
    if (word != files.writable) key_ += word + "\n";
  }
  for (const fs::path& contract : files.readable) key_ += stamp(contract);
#if TILEWISE_HAVE_SIMT
  for (const std::string& word : simulator.compile) key_ += word + "\n";
  for (const fs::path& input : simulator.inputs) key_ += stamp(input);
#endif
  for (const SourceFile& text : texts) key_ += fmt::format("{}\n{}", text.text.size(), text.text);
  said_ = files.writable / "said";
  if (course_cache().fetch(key_, said_)) {
    output_ = core::text_of(said_);
    return;
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::ofstream file(files.writable / stage->sources[i], std::ios::binary);
#if TILEWISE_HAVE_SIMT
    file << as_simulated(texts[i], simulator, files, sandbox);
#else
    file << texts[i].text;
#endif
  }
  start_next();
}

void RegisterCompilation::start_next() {
  running_.reset();
  if (next_ < commands_.size()) running_.emplace(commands_[next_++]);
}

bool RegisterCompilation::is_over() {
  while (running_ && running_->is_over()) {
    const CommandResult result = running_->wait();
    if (!result.succeeded()) {
      start_next();
      continue;
    }
    running_.reset();
    output_ = result.output;
    std::ofstream(said_, std::ios::binary) << *output_;
    course_cache().store(key_, said_);
  }
  return !running_;
}

std::vector<CompiledKernel> RegisterCompilation::wait() {
  while (!is_over()) {
  }
  return output_ ? kernels_in(*output_) : std::vector<CompiledKernel>{};
}

}  // namespace tilewise::grading
