#include "grading/cli/bench_modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include "grading/builder/kernel_registers.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/baselines.hpp"
#include "grading/skeleton/skeleton.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Whether each file of the stage is still what the student was given.
bool is_skeleton(const StageInfo& stage, const fs::path& folder) {
  const fs::path solutions = layout().root / "solutions" / stage.id;
  return std::ranges::all_of(stage.sources, [&](const std::string& source) {
    return text_of(folder / source) == skeleton_of(text_of(solutions / source)).text;
  });
}

/// A contender on its way: what is to be compiled of it, and where the outcomes will be.
struct Pending {
  ContenderModule module;
  std::optional<std::size_t> checked = {}, fast = {};  // among the build requests
  std::unique_ptr<RegisterCompilation> registers = nullptr;
};

class Builds {
 public:
  explicit Builds(const ModuleRequest& request) : request_(request) {}

  void add(Contender contender, const std::string& stage, const fs::path& folder) {
    Pending& pending = pending_.emplace_back(Pending{{contender, stage, {}, {}}});
    BuildRequest build = {stage, folder, Backend::simt, scratch_for(contender, stage),
                          Flavour::checked};
    // A build for GPUs alone has no simulator to count with.
    if (fs::exists(tool("tilewise-worker-simt"))) pending.checked = ask(build);
    pending.registers = std::make_unique<RegisterCompilation>(
        stage, folder, request_.gpu, scratch_for(contender, stage + "-registers"));
    if (request_.backend == Backend::cuda) {
      build.backend = Backend::cuda;
      build.flavour = Flavour::fast;
      build.scratch = scratch_for(contender, stage + "-fast");
      pending.fast = ask(build);
    }
  }

  /// What is there on a GPU only, and need not be.
  void add_baseline(Contender contender, BuildRequest build) {
    build.scratch = scratch_for(contender, build.stage_id);
    Pending& pending = pending_.emplace_back(Pending{{contender, build.stage_id, {}, {}}});
    pending.fast = ask(build);
  }

  void add_not_written(const std::string& stage) {
    ContenderModule module{Contender::student, stage, {}, {}};
    module.problem = "not written yet: the files are as they were handed out";
    module.not_written = true;
    pending_.push_back({std::move(module)});
  }

  std::vector<ContenderModule> finish() {
    const std::vector<BuildOutcome> outcomes = build_modules(builds_);
    std::vector<ContenderModule> modules;
    for (Pending& pending : pending_) {
      ContenderModule& module = pending.module;
      const auto take = [&](const std::optional<std::size_t>& which, fs::path& path) {
        if (!which) return;
        const BuildOutcome& outcome = outcomes[*which];
        path = outcome.module;
        if (!outcome.ok && module.problem.empty()) {
          module.problem = "cannot be compiled: " + outcome.message;
        }
      };
      take(pending.checked, module.checked);
      take(pending.fast, module.fast);
      if (pending.registers) module.compiled = pending.registers->wait();
      const bool optional =
          module.contender == Contender::cublas || module.contender == Contender::copy;
      if (!optional || module.problem.empty()) modules.push_back(std::move(module));
    }
    return modules;
  }

 private:
  fs::path scratch_for(Contender contender, const std::string& what) const {
    const fs::path folder = request_.scratch / fmt::format("{}-{}", to_string(contender), what);
    fs::create_directories(folder);
    return folder;
  }

  std::size_t ask(const BuildRequest& build) {
    builds_.push_back(build);
    return builds_.size() - 1;
  }

  const ModuleRequest& request_;
  std::vector<BuildRequest> builds_;
  std::vector<Pending> pending_;
};

}  // namespace

std::vector<ContenderModule> build_contenders(const ModuleRequest& request) {
  const fs::path root = layout().root;
  const std::string& stage = request.stage.id;
  Builds builds(request);
  if (request.student != nullptr) {
    const fs::path folder = request.student->folder_of(request.stage);
    if (is_skeleton(request.stage, folder)) {
      builds.add_not_written(stage);
    } else {
      builds.add(Contender::student, stage, folder);
    }
  }
  builds.add(Contender::solution, stage, root / "solutions" / stage);
  for (const std::string& previous : request.previous_stages) {
    builds.add(Contender::previous_stage, previous, root / "solutions" / previous);
  }
  if (request.backend == Backend::cuda) {
    for (const Baseline& baseline : baselines_of(stage)) {
      builds.add_baseline(baseline.uses_cublas ? Contender::cublas : Contender::copy,
                          baseline_build(baseline, stage));
    }
  }
  return builds.finish();
}

}  // namespace tilewise::grading
