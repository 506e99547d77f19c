#include "grading/cohort/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "grading/cli/output_file.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/problem/inputs.hpp"
#include "grading/report/json.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* schema = "tilewise/cohort/v1";

fs::path file_in(const fs::path& out) { return out / "cohort.json"; }

Json document_of(const CohortSettings& settings) {
  return {{"schema", schema},
          {"stages", settings.stages},
          {"backend", settings.backend},
          {"gpu", settings.gpu},
          // As text: JSON's numbers do not hold 64 bits.
          {"seed", std::to_string(settings.seed)}};
}

CohortSettings read_settings(const fs::path& file) {
  try {
    std::ifstream stream(file);
    const Json document = Json::parse(stream);
    if (document.at("schema") != schema) throw std::runtime_error("its schema is another one");
    return {document.at("stages").get<std::vector<std::string>>(),
            document.at("backend").get<std::string>(), document.at("gpu").get<std::string>(),
            std::stoull(document.at("seed").get<std::string>())};
  } catch (const std::exception& error) {
    throw CannotGrade(fmt::format("{} of an earlier run cannot be read: {}. Name another --out.",
                                  printable(file.string()), printable(error.what())));
  }
}

}  // namespace

std::uint64_t seed_for(const CohortSettings& settings, const std::string& name) {
  return seeded_random(settings.seed, name)();
}

std::optional<CohortSettings> find_settings(const fs::path& out) {
  if (!fs::exists(file_in(out))) return std::nullopt;
  return read_settings(file_in(out));
}

CohortSettings settle(const fs::path& out, CohortSettings wanted) {
  const std::optional<CohortSettings> earlier = find_settings(out);
  if (!earlier) {
    write_whole(file_in(out), to_file(document_of(wanted)));
    return wanted;
  }
  wanted.seed = earlier->seed;
  if (wanted == *earlier) return wanted;
  throw CannotGrade(fmt::format(
      "{} holds a run of other settings: stages {}, backend {}, GPU {}. Name another --out.",
      printable(out.string()), fmt::join(earlier->stages, " "), earlier->backend, earlier->gpu));
}

}  // namespace tilewise::grading
