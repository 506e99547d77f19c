#include "grading/builder/module_cache.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "common/process/sandbox.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

class ModuleCacheTest : public testing::Test {
 protected:
  fs::path module_with(const std::string& text) {
    const fs::path path = scratch_.path() / "module";
    std::ofstream(path) << text;
    return path;
  }

  std::string fetched(const ModuleCache& cache, const std::string& key) {
    const fs::path copy = scratch_.path() / "copy";
    if (!cache.fetch(key, copy)) return "none";
    std::ifstream file(copy);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  ScratchDirectory scratch_;
  fs::path folder_ = scratch_.path() / "cache";
};

TEST_F(ModuleCacheTest, GivesBackWhatWasBuiltFromTheSameText) {
  const ModuleCache cache(folder_, {10, 1000});
  EXPECT_EQ(fetched(cache, "a"), "none");
  cache.store("a", module_with("module a"));
  cache.store("b", module_with("module b"));
  EXPECT_EQ(fetched(cache, "a"), "module a");
  EXPECT_EQ(fetched(cache, "b"), "module b");
  EXPECT_EQ(fetched(cache, "c"), "none");
}

TEST_F(ModuleCacheTest, ComparesTheTextAndNotItsHashAlone) {
  const ModuleCache cache(folder_, {10, 1000});
  cache.store("a", module_with("module a"));
  // Acts as if "a" had the hash of another text.
  const fs::path entry = *fs::directory_iterator(folder_);
  std::ofstream(entry / "key") << "another text";
  EXPECT_EQ(fetched(cache, "a"), "none");
}

TEST_F(ModuleCacheTest, KeepsNoMoreThanItMay) {
  const ModuleCache cache(folder_, {3, 1000});
  for (const char* key : {"a", "b", "c", "d", "e"}) cache.store(key, module_with(key));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 3);
  EXPECT_EQ(fetched(cache, "e"), "e");
}

TEST_F(ModuleCacheTest, TakesNoMoreRoomThanItMay) {
  const ModuleCache cache(folder_, {10, 1000});
  for (const char* key : {"a", "b", "c", "d", "e", "f"}) {
    cache.store(key, module_with(std::string(220, *key)));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 4);
  EXPECT_EQ(fetched(cache, "f"), std::string(220, 'f'));
  cache.store("large", module_with(std::string(900, 'x')));
  EXPECT_EQ(fetched(cache, "large"), "none") << "all others would have to go";
  EXPECT_EQ(fetched(cache, "e"), std::string(220, 'e'));
}

TEST_F(ModuleCacheTest, DoesWithoutAFolder) {
  const ModuleCache cache("/proc/no/such/folder", {3, 1000});
  cache.store("a", module_with("module a"));
  EXPECT_EQ(fetched(cache, "a"), "none");
}

}  // namespace
}  // namespace tilewise::grading
