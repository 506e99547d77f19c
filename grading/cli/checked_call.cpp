#include "grading/cli/checked_call.hpp"

#include "grading/builder/builder.hpp"
#include "grading/cli/stage_choice.hpp"

namespace tilewise::grading {

namespace fs = std::filesystem;

StageInfo the_stage(const std::string& word) { return choose_stages({word}, stages()).front(); }

fs::path build_checked(const StageInfo& stage, const fs::path& folder, const fs::path& scratch) {
  const BuildOutcome built =
      build_module({stage.id, folder, Backend::simt, scratch, Flavour::checked});
  if (!built.ok) throw NothingToShow{{built.message, built.hint, "", 0}};
  return built.module;
}

}  // namespace tilewise::grading
