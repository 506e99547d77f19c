// Includes point down, and folders do not include each other in a cycle of any length: otherwise
// none of them could be read or tested without all the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/files.hpp"

namespace tilewise {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

/// Files, as paths from the repository's root, and the other files that each includes.
using Includes = std::map<std::string, std::set<std::string>>;
using Folders = std::set<std::string>;

/// The parts of the repository, each of which may include those before it.
const std::vector<std::string> parts = {"common", "grading", "tools"};

Includes includes_of(const fs::path& root) {
  Includes includes;
  for (const std::string& part : parts) {
    for (const auto& item : fs::recursive_directory_iterator(root / part)) {
      const std::string type = item.path().extension();
      if (type == ".cpp" || type == ".hpp" || type == ".cu") {
        includes[item.path().lexically_relative(root).string()];
      }
    }
  }
  const std::regex include(R"(^\s*#\s*include\s+"([^"]+)\")");
  for (auto& [file, included] : includes) {
    std::ifstream stream(root / file);
    for (std::string line; std::getline(stream, line);) {
      std::smatch match;
      if (line.find("#") == line.npos || !std::regex_search(line, match, include)) continue;
      const fs::path beside = fs::path(file).parent_path() / match[1].str();
      for (const std::string& one : {match[1].str(), beside.lexically_normal().string()}) {
        if (includes.contains(one)) included.insert(one);
      }
    }
  }
  return includes;
}

std::size_t rank_of(const std::string& file) {
  const auto part = std::ranges::find(parts, file.substr(0, file.find('/')));
  return static_cast<std::size_t>(part - parts.begin());
}

/// The folder of a file: "common/gpu"; for the simulator, which is as large as the rest of common/,
/// one level deeper: "common/simt/runtime".
std::string folder_of(const std::string& file) {
  const int depth = file.starts_with("common/simt/") ? 3 : 2;
  std::size_t end = 0, last = file.rfind('/');
  for (int i = 0; i < depth && end < last; ++i) end = file.find('/', end + 1);
  return file.substr(0, std::min(end, last));
}

/// Whether a file only serves tests; such a file may include any other.
bool is_of_a_test(const std::string& file) {
  static const std::regex tests(R"(_test\.cpp$|/tests?/|/testdata/|/benchmark/|/validation/)");
  return std::regex_search(file, tests);
}

std::vector<std::string> upward(const Includes& includes) {
  std::vector<std::string> found;
  for (const auto& [file, included] : includes) {
    for (const std::string& one : included) {
      if (rank_of(one) > rank_of(file)) found.push_back(file + " includes " + one);
    }
  }
  return found;
}

/// All cycles, each as the set of its folders.
std::set<Folders> circles(const Includes& includes) {
  std::map<std::string, Folders> reached;
  for (const auto& [file, included] : includes) {
    if (is_of_a_test(file)) continue;
    for (const std::string& one : included) {
      if (folder_of(one) != folder_of(file)) reached[folder_of(file)].insert(folder_of(one));
    }
  }
  const auto grow = [&](Folders& of_one) {
    const std::size_t before = of_one.size();
    for (const std::string& folder : Folders(of_one)) {
      const auto further = reached.find(folder);
      if (further != reached.end()) of_one.insert(further->second.begin(), further->second.end());
    }
    return of_one.size() > before;
  };
  for (auto& [folder, of_one] : reached) {
    while (grow(of_one)) {
    }
  }
  std::set<Folders> found;
  for (const auto& [folder, of_one] : reached) {
    Folders circle;
    for (const std::string& other : of_one) {
      const auto back = reached.find(other);
      if (back != reached.end() && back->second.contains(folder)) circle.insert(other);
    }
    if (!circle.empty()) found.insert(circle);
  }
  return found;
}

TEST(Circles, AreFoundAmongFolders) {
  const struct {
    const char* what;
    Includes includes;
    std::set<Folders> circles;
  } cases[] = {
      {"a line", {{"common/a/x.cpp", {"common/b/x.hpp"}}, {"common/b/x.cpp", {}}}, {}},
      {"within a folder", {{"common/a/x.hpp", {"common/a/y.hpp"}}}, {}},
      {"two folders, though no two files",
       {{"common/a/x.hpp", {"common/b/x.hpp"}}, {"common/b/y.hpp", {"common/a/y.hpp"}}},
       {{"common/a", "common/b"}}},
      {"three folders",
       {{"grading/a/x.hpp", {"grading/b/x.hpp"}},
        {"grading/b/x.hpp", {"grading/c/deep/x.hpp"}},
        {"grading/c/y.hpp", {"grading/a/x.hpp"}},
        {"grading/d/x.hpp", {"grading/a/x.hpp"}}},
       {{"grading/a", "grading/b", "grading/c"}}},
      {"a circle of a test",
       {{"common/a/x_test.cpp", {"common/b/x.hpp"}}, {"common/b/x.hpp", {"common/a/x.hpp"}}},
       {}},
      {"within the simulator",
       {{"common/simt/rewrite/x.hpp", {"common/simt/runtime/x.hpp"}},
        {"common/simt/runtime/x.hpp", {"common/simt/rewrite/x.hpp"}}},
       {{"common/simt/rewrite", "common/simt/runtime"}}},
  };
  for (const auto& [what, includes, expected] : cases)
    EXPECT_EQ(circles(includes), expected) << what;
}

TEST(Upward, AreIncludesOfALaterPart) {
  const Includes includes = {{"common/a/x.hpp", {"common/b/x.hpp", "grading/a/x.hpp"}},
                             {"grading/a/x.hpp", {"common/a/x.hpp"}},
                             {"tools/a/x.hpp", {"common/a/x.hpp", "grading/a/x.hpp"}}};
  EXPECT_THAT(upward(includes), testing::ElementsAre("common/a/x.hpp includes grading/a/x.hpp"));
}

TEST(Includes, PointDownAndMakeNoCircle) {
  const Includes includes = includes_of(core::project_root());
  EXPECT_GT(includes.size(), 100U);
  EXPECT_THAT(upward(includes), IsEmpty())
      << "common/ <- grading/ <- tools/: move what both need down";
  EXPECT_THAT(circles(includes), IsEmpty())
      << "move what they share into the one that the others include, or into a new folder";
}

}  // namespace
}  // namespace tilewise
