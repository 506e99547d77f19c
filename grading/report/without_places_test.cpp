#include "grading/report/without_places.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tilewise::grading {
namespace {

// /tmp, /home and /root are on every machine.
const KnownPlaces known = {"/home/jane doe/course",
                           {"/home/jane doe", "/root", "/tmp", "/opt/tilewise/build"}};

TEST(WithoutPlaces, TakesAwayWhereFilesAre) {
  const struct {
    const char* what;
    std::string_view text, shown;
  } cases[] = {
      {"g++, of a contract",
       "In file included from <command-line>:\n"
       "/home/jane doe/course/labs/03_x/x.hpp:7:13: note: declared here",
       "In file included from <command-line>:\nlabs/03_x/x.hpp:7:13: note: declared here"},
      {"g++, of a file that is not there",
       "labs/03_x/x.cu:1:10: fatal error: /home/jane doe/secret.h: No such file",
       "labs/03_x/x.cu:1:10: fatal error: .../secret.h: No such file"},
      {"clang", "/tmp/tilewise-run-x/fast/x.cpp:1:1: error: unknown type",
       ".../x.cpp:1:1: error: unknown type"},
      {"static_assert and #error",
       "error: static assertion failed: \"/home/mary/a b\"\n#error </root/x/y>",
       "error: static assertion failed: \".../a b\"\n#error <.../y>"},
      {"#pragma message", "note: '#pragma message: /home/mary/kernels/x.cu'",
       "note: '#pragma message: .../x.cu'"},
      {"ld",
       "/usr/bin/ld: /home/mary/x.o: in function `f()':\n"
       "/home/mary/deep/x.cu:5:(.text+0x10): undefined reference to `g()'",
       "/usr/bin/ld: .../x.o: in function `f()':\n"
       ".../x.cu:5:(.text+0x10): undefined reference to `g()'"},
      {"ld, without a blank", "/usr/bin/ld:/home/mary/x.o:(.data+0x0)",
       "/usr/bin/ld:.../x.o:(.data+0x0)"},
      {"an option", "-L/home/jane doe/course/build/lib -rpath,/opt/tilewise/build/lib",
       "-Lbuild/lib -rpath,.../lib"},
      {"assert", "x.cu:3: /home/mary/w: Assertion `a' failed.",
       "x.cu:3: .../w: Assertion `a' failed."},
      {"slashes without number", "at ///home//mary///x.cu", "at .../x.cu"},
      {"the folder itself", "cd /home/jane doe/course", "cd ."},
      {"the home of root", "(/root)", "(...)"},
      {"a map of memory", "7f00-7f01 r-xp 00000000 00:00 0 /tmp/tilewise-run-y/work/m.so\n",
       "7f00-7f01 r-xp 00000000 00:00 0 .../m.so\n"},
  };
  for (const auto& [what, text, shown] : cases)
    EXPECT_EQ(without_places(text, known), shown) << what;
}

TEST(WithoutPlaces, LeavesTheRest) {
  for (const std::string text :
       {"", "labs/03_x/x.cu:31:5: error: expected ';'", "/usr/include/c++/12/vector:3: note: x",
        "/opt/cuda/include/cuda.h", "6.5 GB/s, a/home/b, x / y, n/tmp", "   7 | int a = n /m;",
        "// home is where", "https://example.org/home/x", "/proc/self/maps", "c /y/z",
        "/home-made/x", "a/root/b", "../x/y.cu"}) {
    EXPECT_EQ(without_places(text, known), text);
  }
}

TEST(WithoutPlaces, KnowsThoseOfThisProcess) {
  const KnownPlaces here = places_of_this_process();
  EXPECT_EQ(without_places(here.course.string() + "/labs/x.hpp:3"), "labs/x.hpp:3");
  for (const auto& folder : here.private_folders) {
    const std::string shown = without_places(folder.string() + "/x.o: y");
    EXPECT_EQ(shown.find(here.course.parent_path().string()), shown.npos) << shown;
  }
}

}  // namespace
}  // namespace tilewise::grading
