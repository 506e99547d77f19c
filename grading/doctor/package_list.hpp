#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tilewise::grading {

/// A line of packages.txt, packages_optional.txt or packages_for_tests.txt.
struct Package {
  std::string name;      ///< as Debian and Ubuntu call it
  std::string stand_in;  ///< a command that serves as well; empty: only the package will do
  std::string reason;
};

/// @throws std::runtime_error where the file cannot be read
std::vector<Package> read_packages(const std::filesystem::path& list);

/// The versions of those that are installed, by name; empty where there is no dpkg-query.
std::map<std::string, std::string> installed_versions(const std::vector<Package>& packages);

}  // namespace tilewise::grading
