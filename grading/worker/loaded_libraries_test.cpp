#include "grading/worker/loaded_libraries.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

namespace tilewise::grading {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Part of the C library, and nothing that this program needs.
constexpr const char* library = "libanl.so.1";

TEST(LoadedLibraries, NamesWhatIsThereAndWhatWasThere) {
  const LoadedLibraries libraries;
  EXPECT_THAT(libraries.since(""), IsEmpty());
  void* const handle = dlopen(library, RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  EXPECT_THAT(libraries.since(""), ElementsAre(library));
  dlclose(handle);
  EXPECT_THAT(libraries.since(""), ElementsAre("a library"));
}

TEST(LoadedLibraries, ExpectsTheModule) {
  const LoadedLibraries libraries;
  void* const handle = dlopen(library, RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  const link_map* map = nullptr;
  ASSERT_EQ(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0) << dlerror();
  EXPECT_THAT(libraries.since(map->l_name), IsEmpty());
  dlclose(handle);
}

}  // namespace
}  // namespace tilewise::grading
