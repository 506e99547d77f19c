#include "grading/cohort/test/broken_cohort.hpp"

#include <fstream>

#include "grading/builder/layout.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {

namespace fs = std::filesystem;

void take_seed(const fs::path& from, const fs::path& to) {
  fs::create_directories(to);
  fs::copy_file(from / "cohort.json", to / "cohort.json");
}

BrokenCohort::BrokenCohort() {
  put("anna", text_of(layout().root / "solutions" / stage / "matmul_shared.cu"));
  put("berta", "#error nothing yet\n");
  put("carla", text_of(layout().root / "labs" / stage / "matmul_shared.cu"));
  put("dora", "#include <stdlib.h>\nstatic const int ended = (exit(0), 0);\n");
  std::ofstream(folder() / "ella.zip") << "no archive";
  fs::create_directories(folder() / "fay");
}

std::vector<std::string> BrokenCohort::grade(const fs::path& out,
                                             const std::vector<std::string>& more) const {
  std::vector<std::string> arguments = {tool("tilewise"), "cohort", "grade",     folder(), "3",
                                        "--out",          out,      "--backend", "simt"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void BrokenCohort::put(const std::string& name, const std::string& text) const {
  const fs::path where = folder() / name / "labs" / stage;
  fs::create_directories(where);
  std::ofstream(where / "matmul_shared.cu") << text;
}

}  // namespace tilewise::grading
