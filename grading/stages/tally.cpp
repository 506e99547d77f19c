#include "grading/stages/tally.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "common/base/files.hpp"

namespace tilewise::grading {

void Tally::count(const std::string& stage, const std::string& kind, bool judged_well) {
  Count& count = stages_[stage][kind];
  ++count.all;
  if (judged_well) ++count.judged_well;
}

void Tally::write(const std::filesystem::path& folder) const {
  std::filesystem::create_directories(folder);
  for (const auto& [stage, kinds] : stages_) {
    const std::filesystem::path path = folder / (stage + "." + name_);
    std::ofstream file(path);
    for (const auto& [kind, count] : kinds) {
      file << fmt::format("{} {} {} {}\n", stage, kind, count.judged_well, count.all);
    }
    if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
  }
}

Tally& tally_of_program(const std::string& name) {
  class Writer : public testing::Environment {
   public:
    explicit Writer(const std::string& name) : tally(name) {}
    Tally tally;

   private:
    void TearDown() override {
      const char* const folder = std::getenv("TILEWISE_TALLY");
      tally.write(folder != nullptr ? std::filesystem::path(folder)
                                    : core::executable_directory() / "tally");
    }
  };
  auto* const writer = new Writer(name);  // GoogleTest owns it from here on
  testing::AddGlobalTestEnvironment(writer);
  return writer->tally;
}

}  // namespace tilewise::grading
