#include "grading/doctor/package_list.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "common/process/command.hpp"

namespace tilewise::grading {

std::vector<Package> read_packages(const std::filesystem::path& list) {
  std::ifstream file(list);
  if (!file) throw std::runtime_error(fmt::format("cannot read {}", list.string()));
  std::vector<Package> packages;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Package package;
    if (!(words >> package.name) || package.name.starts_with('#')) continue;
    words >> package.stand_in;
    if (package.stand_in == "-") package.stand_in.clear();
    std::getline(words >> std::ws, package.reason);
    packages.push_back(std::move(package));
  }
  return packages;
}

std::map<std::string, std::string> installed_versions(const std::vector<Package>& packages) {
  Command command;
  command.arguments = {"dpkg-query", "--show", "--showformat",
                       "${Package} ${Version} ${db:Status-Status}\\n"};
  for (const Package& package : packages) command.arguments.push_back(package.name);
  command.time_limit_s = 30;
  // Its status tells that some are unknown, which are not installed, then.
  std::istringstream lines(run_command(std::move(command)).output);
  std::map<std::string, std::string> versions;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, version, status;
    if (words >> name >> version >> status && status == "installed") versions[name] = version;
  }
  return versions;
}

}  // namespace tilewise::grading
