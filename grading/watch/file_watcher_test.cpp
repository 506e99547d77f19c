#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "common/process/sandbox.hpp"
#include "grading/watch/watch.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

TEST(FileWatcher, NoticesEveryWayToSave) {
  const ScratchDirectory folder;
  const fs::path file = folder.path() / "kernel.cu", other = folder.path() / "other";
  const auto put = [](const fs::path& path, const char* text) { std::ofstream(path) << text; };
  const struct {
    const char* what;
    std::function<void()> save;
    bool noticed;
  } cases[] = {
      {"nothing", [] {}, false},
      {"longer", [&] { put(file, "longer text"); }, true},
      {"same size", [&] { put(file, "longer_text"); }, true},
      {"by rename",
       [&] {
         put(other, "longer text");
         fs::rename(other, file);
       },
       true},
      {"an old time",
       [&] { fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(24)); },
       true},
      {"removed", [&] { fs::remove(file); }, true},
      {"still removed", [] {}, false},
      {"back", [&] { put(file, "x"); }, true},
      {"another file", [&] { put(other, "x"); }, false},
  };
  put(file, "text");
  FileWatcher watcher({file});
  for (const auto& [what, save, noticed] : cases) {
    save();
    EXPECT_EQ(watcher.has_changed(), noticed) << what;
    EXPECT_FALSE(watcher.has_changed()) << what << ": once is enough";
  }
}

}  // namespace
}  // namespace tilewise::grading
