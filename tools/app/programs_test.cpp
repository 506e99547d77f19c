#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/base/files.hpp"
#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/built_parts.hpp"
#include "grading/builder/layout.hpp"

// These tests check which programs are built on demand, in a course in which only `tilewise` is
// built and a script in place of lab records how it was called.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class BuiltWhenAskedFor : public testing::Test {
 protected:
  /// Runs `tilewise occupancy --help`, which another program has, in a build folder of the course.
  CommandResult ask(const char* build, const std::string& lab_ends_with, const std::string& parts) {
    const fs::path folder = scratch.path() / "build" / build;
    fs::create_directories(folder / "bin");
    fs::create_directories(scratch.path() / "labs");
    fs::copy_file(tool("tilewise"), folder / "bin" / "tilewise");
    std::ofstream(folder / "parts.txt") << parts;
    std::ofstream(scratch.path() / "lab")
        << "#!/bin/sh\necho \"$*\" >>'" << asked().string() << "'\n"
        << lab_ends_with << "\n";
    fs::permissions(scratch.path() / "lab", fs::perms::owner_all);
    Command command;
    command.arguments = {folder / "bin" / "tilewise", "occupancy", "--help"};
    command.environment = {{"TILEWISE_ROOT", scratch.path()}, {"TILEWISE_LANGUAGE", "en"}};
    return run_command(std::move(command));
  }

  fs::path asked() const { return scratch.path() / "asked.txt"; }
  std::string what_was_asked() const { return core::text_of(asked()); }

  ScratchDirectory scratch;
};

TEST_F(BuiltWhenAskedFor, IsTheProgramOfACommand) {
  const CommandResult result = ask("simt", "exit 0", "");
  EXPECT_EQ(what_was_asked(), std::string("__build ") + measuring_program + "\n");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("tilewise-measure is not built"));
}

TEST_F(BuiltWhenAskedFor, IsNotBuiltTwice) {
  for (const char* parts : {"tilewise-measure\n", "tilewise_everything\n"}) {
    ask("simt", "exit 0", parts);
    EXPECT_THAT(what_was_asked(), IsEmpty()) << parts;
    fs::remove_all(scratch.path() / "build");
  }
}

TEST_F(BuiltWhenAskedFor, EndsWhereItCannotBe) {
  const CommandResult result = ask("simt", "exit 2", "");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("could not be built"));
}

TEST_F(BuiltWhenAskedFor, IsLeftToOthersInTheirBuilds) {
  ask("mine", "exit 0", "");
  EXPECT_THAT(what_was_asked(), IsEmpty());
}

}  // namespace
}  // namespace tilewise::grading
