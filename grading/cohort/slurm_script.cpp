#include "grading/cohort/slurm_script.hpp"

#include <fmt/format.h>

#include "grading/builder/layout.hpp"
#include "grading/cli/stage_choice.hpp"

namespace tilewise::grading {
namespace {

/// A word that a shell takes as it is.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

bool names_a_gpu(const std::string& arguments) {
  return arguments.find("--gres") != arguments.npos || arguments.find("--gpus") != arguments.npos;
}

}  // namespace

std::string job_script(const SlurmBatch& batch, const Ledger& ledger, bool with_gpu,
                       const std::string& arguments) {
  // The next line would be run, by the user who asks for it, but surely not meant.
  if (arguments.find_first_of("\r\n") != arguments.npos) {
    throw CannotGrade("--sbatch: its arguments hold a line break; put them into one line");
  }
  std::string script = "#!/bin/sh\n";
  if (with_gpu && !names_a_gpu(arguments)) script += "#SBATCH --gres=gpu:1\n";
  // sbatch takes them apart, quotes and all, and says what it does not know.
  if (!arguments.empty()) script += fmt::format("#SBATCH {}\n", arguments);
  script += fmt::format("export TILEWISE_ROOT={}\n", quoted(layout().root));
  script += fmt::format(
      "exec {} cohort grade-one --out {} --batch {} --task \"$SLURM_ARRAY_TASK_ID\"\n",
      quoted(tool("tilewise")), quoted(std::filesystem::absolute(ledger.folder())), batch.id);
  return script;
}

}  // namespace tilewise::grading
