#include "grading/debug/debug.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <ranges>
#include <utility>

#include "common/core/gpu_profile.hpp"
#include "grading/bench/bench_cases.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/command.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/programs.hpp"
#include "grading/builder/scratch_directory.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/cli/submission.hpp"
#include "grading/debug/foreground.hpp"
#include "grading/debug/inputs_of_call.hpp"
#include "grading/debug/order.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/report/terminal.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// "3", "3,2" or "3,2,0".
Index3 read_index(const std::string& option, const std::string& text) {
  Index3 index = {};
  std::size_t count = 0;
  for (const auto part : std::views::split(text, ',')) {
    const std::string word(part.begin(), part.end());
    const char* end = word.data() + word.size();
    unsigned value = 0;
    const auto [rest, error] = std::from_chars(word.data(), end, value);
    if (count == index.size() || error != std::errc() || rest != end) {
      throw CannotGrade(fmt::format("{} '{}': give it as {} 3,2,0", option, text, option));
    }
    index[count++] = value;
  }
  return index;
}

void demand_debugger() {
  if (find_program("gdb").empty()) {
    throw CannotGrade("gdb is not installed; install it with: sudo apt-get install gdb");
  }
  if (!may_trace()) {
    throw CannotGrade(
        "programs may not trace others here, which gdb must; in a container of Docker add "
        "--cap-add=SYS_PTRACE --security-opt seccomp=unconfined to docker run");
  }
}

bool solves_system(const std::string& stage, const std::string& function) {
  const auto stages = load_bench_cases(layout().root / "grading" / "bench" / "cases.json");
  const auto found = stages.find(stage);
  return found != stages.end() &&
         std::ranges::any_of(found->second.cases, [&](const BenchCase& one) {
           return one.function == function && one.problem == Problem::solve;
         });
}

DebugOrder order_for(const NamedCall& call, const CallInputs& inputs, const fs::path& module) {
  DebugOrder order;
  order.hello.module = module;
  order.hello.profile = core::gpu_profile("gtx1080");
  order.call.function = call.function;
  order.call.arguments = inputs.arguments;
  order.text = call.text;
  return order;
}

std::string describe(const Index3& index) {
  return fmt::format("({}, {}, {})", index[0], index[1], index[2]);
}

void start_gdb(const fs::path& folder, const fs::path& sources) {
  run_in_foreground({"gdb", "--quiet", "--directory", sources, "-x",
                     layout().root / "grading" / "debug" / "tilewise_gdb.py", "--args",
                     tool("tilewise-debuggee"), folder});
}

}  // namespace

bool debug(const DebugOptions& options) {
  const StageInfo stage = choose_stages({options.stage}, stages()).front();
  const Submission submission = choose_submission(options.solutions, options.submission, {stage});
  const fs::path sources = fs::absolute(submission.folder_of(stage));
  const auto& contracts = contracts_of(stage.id);
  const NamedCall call = read_call(options.call, contracts);
  const auto contract = std::ranges::find(contracts, call.function, &ContractInfo::function);
  ThreadPlace place;
  if (!options.block.empty()) place.block = read_index("--block", options.block);
  if (!options.thread.empty()) place.thread = read_index("--thread", options.thread);
  demand_debugger();

  TerminalReport terminal(std::cout, style_of_standard_output());
  terminal.show_progress("compiling");
  const ScratchDirectory scratch;
  const BuildOutcome built =
      build_module({stage.id, sources, Backend::simt, scratch.path(), Flavour::debug});
  if (!built.ok) {
    terminal.explain_stage({built.message, built.hint, "", 0});
    return false;
  }
  const CallInputs inputs = inputs_of(call, *contract, solves_system(stage.id, call.function));
  DebugOrder order = order_for(call, inputs, built.module);
  order.stop = place;
  write_order(scratch.path(), order, inputs.matrices);
  terminal.clear_progress();
  std::cout << fmt::format("{}: block {}, thread {}\n", call.text, describe(place.block),
                           describe(place.thread))
            << std::flush;
  start_gdb(scratch.path(), sources.parent_path().parent_path());
  return true;
}

}  // namespace tilewise::grading
