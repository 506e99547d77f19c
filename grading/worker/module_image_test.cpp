#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "common/base/files.hpp"
#include "grading/worker/module.hpp"
#include "grading/worker/simt_host_process.hpp"

namespace tilewise::grading {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string fixture(const std::string& name) {
  return core::executable_directory() / (name + ".so");
}

Module load(const ModuleImage& image) {
  return Module("/proc/self/fd/" + std::to_string(image.without_initialisers()));
}

TEST(ModuleImage, IsLoadedWithoutRunningAnyOfItsCode) {
  const ModuleImage image(fixture("fixture_exit_on_load"));
  const Module module = load(image);  // its initialisers would end this process
  EXPECT_THAT(module.find("refuse"), Not(testing::IsNull()));
  EXPECT_EXIT(image.run_initialisers(module.base()), testing::ExitedWithCode(0), "");
}

TEST(ModuleImage, KnowsWhatMayBeLaunched) {
  cudaGetLastError();  // makes sure that the run-time is there, as in a worker
  const ModuleImage image(fixture("fixture_checked"));
  const Module module = load(image);
  const simt::ModuleMap map = image.map(module.base());
  EXPECT_THAT(map.kernels, SizeIs(1));
  EXPECT_THAT(map.named_kernel_runs, SizeIs(1));
  EXPECT_THAT(map.chosen_kernel_runs, IsEmpty());
  EXPECT_THAT(map.literals, Not(IsEmpty()));
  for (const auto& [begin, end] : map.variables) EXPECT_LE(begin, end);
}

TEST(ModuleImage, IsNoOtherFile) {
  const auto message_of = [](const std::string& path) -> std::string {
    try {
      const ModuleImage image(path);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message_of(fixture("none")), HasSubstr("cannot read"));
  const std::string text = testing::TempDir() + "tilewise-text-" + std::to_string(getpid());
  std::ofstream(text) << "no module";
  EXPECT_THAT(message_of(text), HasSubstr("is no module"));
  std::filesystem::remove(text);
  EXPECT_THAT(message_of(core::executable_directory() / "fixture_with_resolver.so"),
              HasSubstr("chosen while it is loaded"));
}

}  // namespace
}  // namespace tilewise::grading
