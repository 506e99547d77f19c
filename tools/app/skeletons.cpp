#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "common/core/paths.hpp"
#include "grading/skeleton/repository.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {
namespace {

ExitStatus skeletons(bool check) {
  const auto root = core::project_root();
  const SkeletonReport report = check ? check_skeletons(root) : write_skeletons(root);
  for (const std::string& error : report.errors) fmt::print(stderr, "{}\n", error);
  for (const std::string& difference : report.differences) fmt::print("{}\n", difference);
  if (!report.errors.empty()) return ExitStatus::could_not_grade;
  if (check && !report.differences.empty()) {
    fmt::print("./lab skeletons writes them anew\n");
    return ExitStatus::failed;
  }
  return ExitStatus::passed;
}

}  // namespace

void add_skeletons(CLI::App& app, ExitStatus& status) {
  CLI::App* command = app.add_subcommand(
      "skeletons", "For maintainers: write labs/ from what is marked in solutions/");
  const auto check = std::make_shared<bool>(false);
  command->add_flag("--check", *check, "Write nothing, tell differences");
  command->callback([check, &status] { status = skeletons(*check); });
}

}  // namespace tilewise::grading
