#include "grading/cohort/slurm_batch.hpp"

#include <fmt/format.h>

#include <fstream>
#include <random>
#include <system_error>

#include "grading/builder/layout.hpp"
#include "grading/cli/output_file.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

constexpr const char* extension = ".names";

fs::path slurm_folder(const fs::path& out) { return out / "slurm"; }

fs::path file_of(const std::string& id, const fs::path& out) {
  return slurm_folder(out) / (id + extension);
}

std::string new_id() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

}  // namespace

fs::path slurm_folder(const Ledger& ledger) { return slurm_folder(ledger.folder()); }

fs::path log_of(const SlurmBatch& batch, std::size_t task, const Ledger& ledger) {
  return slurm_folder(ledger) / fmt::format("{}-{}.log", batch.id, task);
}

SlurmBatch begin_batch(std::vector<std::string> names, const Ledger& ledger) {
  SlurmBatch batch{new_id(), std::move(names)};
  std::string text;
  // Of all characters only this one is in no file's name.
  for (const std::string& name : batch.names) text += name + '\0';
  demand_folder("--out", slurm_folder(ledger));
  write_whole(file_of(batch.id, ledger.folder()), text);
  return batch;
}

std::vector<SlurmBatch> find_batches(const Ledger& ledger) {
  std::vector<SlurmBatch> batches;
  std::error_code no_folder;
  for (const auto& item : fs::directory_iterator(slurm_folder(ledger), no_folder)) {
    if (item.path().extension() != extension) continue;
    batches.push_back(read_batch(item.path().stem(), ledger.folder()));
  }
  return batches;
}

SlurmBatch read_batch(const std::string& id, const fs::path& out) {
  std::ifstream file(file_of(id, out), std::ios::binary);
  if (!file) {
    throw CannotGrade(
        fmt::format("{} is not there: the run that this job belongs to was given up, or the folder "
                    "is on a file "
                    "system that this machine does not see",
                    printable(file_of(id, out).string())));
  }
  SlurmBatch batch{id, {}};
  for (std::string name; std::getline(file, name, '\0');) batch.names.push_back(name);
  return batch;
}

void remove_batch(const SlurmBatch& batch, const Ledger& ledger) {
  std::error_code ignored;  // it is read again by the next run, which then removes it
  fs::remove(file_of(batch.id, ledger.folder()), ignored);
}

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
