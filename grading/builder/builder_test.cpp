#include "grading/builder/builder.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kernel = R"(#include "matmul_shared.hpp"
__global__ void zero(float* C) { C[threadIdx.x] = 0.0f; }
cudaError_t matmul_shared(const float*, const float*, float* C, int n, int) {
  zero<<<1, n>>>(C);
  return cudaGetLastError();
}
)";

/// Builds texts as submissions to stage 3 on the simulator.
class Builder : public testing::Test {
 protected:
  Builder() {
    fs::create_directories(folder());
    fs::create_directory(scratch());
  }

  fs::path folder() const { return directory_.path() / "labs" / "03_shared_memory"; }
  fs::path scratch() const { return directory_.path() / "scratch"; }

  BuildResult build(const std::string& text, Backend backend = Backend::simt) {
    std::ofstream(folder() / "matmul_shared.cu", std::ios::binary) << text;
    return build(backend);
  }

  BuildResult build(Backend backend = Backend::simt) {
    return build_module({"03_shared_memory", folder(), backend, scratch()});
  }

  BuildResult build_in_sandbox(const std::string& text) {
    std::ofstream(folder() / "matmul_shared.cu", std::ios::binary) << text;
    BuildRequest request{"03_shared_memory", folder(), Backend::simt, scratch()};
    request.bubblewrap = find_sandbox().sandbox.bubblewrap;
    return build_module(request);
  }

 private:
  ScratchDirectory directory_;
};

TEST_F(Builder, MakesAModuleThatExportsItsBindingOnly) {
  const BuildResult built = build(kernel);
  ASSERT_TRUE(built.ok) << built.finding.message;
  void* module = dlopen(built.module.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(module, nullptr) << dlerror();
  EXPECT_NE(dlsym(module, "tilewise_bindings"), nullptr);
  EXPECT_EQ(dlsym(module, "_Z13matmul_sharedPKfS0_Pfii"), nullptr);
  dlclose(module);
}

TEST_F(Builder, MakesBothFlavoursSideBySide) {
  std::ofstream(folder() / "matmul_shared.cu") << kernel;
  const BuildRequest fast{"03_shared_memory", folder(), Backend::simt, scratch()};
  BuildRequest checked = fast;
  checked.flavour = Flavour::checked;
  const std::vector<BuildResult> all_built = build_modules({fast, checked});
  ASSERT_EQ(all_built.size(), 2u);
  const auto reports_stores = [](const BuildResult& built) {
    EXPECT_TRUE(built.ok) << built.finding.message;
    std::ifstream file(built.module, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    return bytes.find("__tsan_write4") != bytes.npos;
  };
  EXPECT_FALSE(reports_stores(all_built[0]));
  EXPECT_TRUE(reports_stores(all_built[1]));
}

TEST_F(Builder, LeavesNotesBesideACoveredModule) {
  std::ofstream(folder() / "matmul_shared.cu") << kernel;
  BuildRequest request{"03_shared_memory", folder(), Backend::simt, scratch()};
  request.covered = true;
  const auto notes = flavour_folder(scratch(), Flavour::fast) / "matmul_shared.gcno";
  for (int repetition = 0; repetition < 2; ++repetition) {
    std::filesystem::remove(notes);
    const BuildResult built = build_module(request);
    ASSERT_TRUE(built.ok) << built.finding.message;
    EXPECT_TRUE(std::filesystem::exists(notes)) << "none come with a module of the cache";
  }
  request.backend = Backend::cuda;
  EXPECT_THROW(build_module(request), std::runtime_error);
}

TEST_F(Builder, TellsOfAnErrorInEitherFlavour) {
  std::ofstream(folder() / "matmul_shared.cu") << "int i = 0 }\n";
  for (const Flavour flavour : {Flavour::fast, Flavour::checked}) {
    const BuildResult built =
        build_module({"03_shared_memory", folder(), Backend::simt, scratch(), flavour});
    EXPECT_FALSE(built.ok);
    EXPECT_EQ(built.finding.line, 1) << built.finding.message;
  }
}

TEST_F(Builder, HasNoCheckedBuildForAGpu) {
  const BuildRequest request{"03_shared_memory", folder(), Backend::cuda, scratch(),
                             Flavour::checked};
  EXPECT_THROW(build_module(request), std::runtime_error);
}

TEST_F(Builder, TellsWhatTheCompilerSaysWhereTheStudentWroteIt) {
  const struct {
    const char* what;
    std::string text;
    int line;
    const char* message;
  } cases[] = {
      {"a syntax error",
       "#include \"matmul_shared.hpp\"\n\n__global__ void k() { int i = 0 }  // ours\n", 3,
       "matmul_shared.cu:3"},
      {"another return type",
       "void matmul_shared(const float*, const float*, float*, int, int) {}\n", 1, "matmul_shared"},
      {"another linkage",
       "extern \"C\" cudaError_t matmul_shared(const float*, const float*, float*, int, int) {\n"
       "  return cudaSuccess;\n}\n",
       1, "matmul_shared"},
      {"a launch the simulator cannot take", "__global__ void k() {}\n#define RUN k<<<1, 1\n", 2,
       "not complete"},
      {"a header that is not there", "#include \"no_such.hpp\"\n", 1, "no_such.hpp"},
  };
  for (const auto& expected : cases) {
    const BuildResult built = build(expected.text);
    EXPECT_FALSE(built.ok) << expected.what;
    EXPECT_EQ(built.finding.file, "matmul_shared.cu") << expected.what;
    EXPECT_EQ(built.finding.line, expected.line) << expected.what << '\n' << built.finding.message;
    EXPECT_THAT(built.finding.message,
                AllOf(HasSubstr(expected.message), Not(HasSubstr(scratch().string()))))
        << expected.what;
    EXPECT_THAT(built.finding.hint, Not(IsEmpty())) << expected.what;
  }
}

TEST_F(Builder, QuotesTheStudentsLineAndNotTheRewrittenOne) {
  std::string text = kernel;
  text.replace(text.find("(C);"), 4, "(D);");
  const BuildResult built = build(text);
  EXPECT_EQ(built.finding.line, 4);
  EXPECT_THAT(built.finding.message, HasSubstr("zero<<<1, n>>>(D);"));
}

TEST_F(Builder, NamesAContractFunctionThatIsMissing) {
  for (const char* text :
       {"", "cudaError_t matmul_shared(const float*, int) { return cudaSuccess; }\n",
        "namespace mine { cudaError_t matmul_shared(const float*, const float*, "
        "float*, int, int) { return cudaSuccess; } }\n"}) {
    const BuildResult built = build(text);
    EXPECT_FALSE(built.ok);
    EXPECT_THAT(built.finding.message,
                HasSubstr("matmul_shared(...) is missing or has another signature than "
                          "labs/03_shared_memory/matmul_shared.hpp declares:\n"
                          "cudaError_t matmul_shared(const float* A, const float* B, float* C, "
                          "int n, int tile)"));
  }
}

TEST_F(Builder, NamesAHelperThatIsMissing) {
  std::string text = kernel;
  text.insert(text.find("cudaError_t"), "int helper(int);\n");
  text.replace(text.find("<<<1, n>>>"), 10, "<<<1, helper(n)>>>");
  const BuildResult built = build(text);
  EXPECT_FALSE(built.ok);
  EXPECT_THAT(built.finding.message, HasSubstr("helper(int)"));
  EXPECT_EQ(built.finding.line, 5) << built.finding.message;
}

TEST_F(Builder, CompilesForAGpuWhereThereIsNone) {
  if (!fs::exists(layout().build / "lib" / "bindings" / "cuda")) GTEST_SKIP() << "no cuda backend";
  setenv("TILEWISE_CUDA_ARCH", "sm_90", 1);
  const BuildResult good = build(kernel, Backend::cuda);
  EXPECT_TRUE(good.ok) << good.finding.message;
  EXPECT_TRUE(fs::exists(good.module));

  const BuildResult bad = build("#include \"matmul_shared.hpp\"\n\nint i = 0 }\n", Backend::cuda);
  EXPECT_FALSE(bad.ok);
  EXPECT_EQ(bad.finding.file, "matmul_shared.cu");
  EXPECT_EQ(bad.finding.line, 3) << bad.finding.message;

  const BuildResult missing = build("", Backend::cuda);
  EXPECT_THAT(missing.finding.message, HasSubstr("matmul_shared(...) is missing"));
  unsetenv("TILEWISE_CUDA_ARCH");
}

TEST_F(Builder, SaysWhichFileItMisses) {
  BuildResult built = build();
  EXPECT_FALSE(built.ok);
  EXPECT_EQ(built.finding.message, "labs/03_shared_memory/matmul_shared.cu is missing.");
  EXPECT_EQ(built.finding.file, "matmul_shared.cu");
  fs::create_directory(folder() / "matmul_shared.cu");
  built = build();
  EXPECT_EQ(built.finding.message,
            "labs/03_shared_memory/matmul_shared.cu is a folder, not a file.");
}

TEST_F(Builder, ShowsTheCompilerNothingButTheSubmission) {
  if (!find_sandbox().sandbox) GTEST_SKIP() << find_sandbox().why_not;
  const fs::path secret = folder().parent_path() / "secret";
  std::ofstream(secret) << "int known_to_nobody;\n";
  const fs::path solution = layout().root / "solutions" / "03_shared_memory" / "matmul_shared.cu";
  // The rewriter recognises the assembler only by its name.
  const auto assembled = [](const std::string& file) {
    return "#define JOIN(a, b) a##b\nJOIN(as, m)(\".incbin \\\"" + file + "\\\"\");\n";
  };
  const struct {
    const char* what;
    std::string text;
  } cases[] = {
      {"a file beside it", "#include \"" + secret.string() + "\"\n"},
      {"what a message quotes", "#line 1 \"" + secret.string() + "\"\nint i = ;\n"},
      {"the solution", "#include \"" + solution.string() + "\"\n#define matmul_shared another\n"},
      {"by the assembler", assembled(secret)},
      {"accounts", assembled("/etc/passwd")},
  };
  for (const auto& [what, text] : cases) {
    const BuildResult built = build_in_sandbox(text + kernel);
    EXPECT_FALSE(built.ok) << what;
    EXPECT_THAT(built.finding.message, Not(HasSubstr("known_to_nobody"))) << what;
  }
}

TEST_F(Builder, SaysTheSameFromASandbox) {
  if (!find_sandbox().sandbox) GTEST_SKIP() << find_sandbox().why_not;
  EXPECT_TRUE(build_in_sandbox(kernel).ok);
  std::string text = kernel;
  text.replace(text.find("(C);"), 4, "(D);");
  const BuildResult built = build_in_sandbox(text);
  EXPECT_EQ(built.finding.file, "matmul_shared.cu");
  EXPECT_EQ(built.finding.line, 4);
  EXPECT_THAT(built.finding.message, HasSubstr("zero<<<1, n>>>(D);"));
}

TEST_F(Builder, TakesNoLinkOutOfTheSubmission) {
  fs::create_symlink(layout().root / "solutions" / "03_shared_memory" / "matmul_shared.cu",
                     folder() / "matmul_shared.cu");
  EXPECT_THAT(build().finding.message, HasSubstr("is a link out of the submission"));
}

TEST_F(Builder, CompilesTheSameTextOnce) {
  const fs::path log = scratch() / "log";
  const fs::path compiler = scratch() / "compiler";
  std::ofstream(compiler) << "#!/bin/sh\necho run >> " << log << "\nexec c++ \"$@\"\n";
  fs::permissions(compiler, fs::perms::owner_all);
  const auto runs = [&] {
    std::stringstream text;
    text << std::ifstream(log).rdbuf();
    return text.str().size() / std::string("run\n").size();
  };
  setenv("CXX", compiler.c_str(), 1);
  const BuildResult first = build(kernel);
  EXPECT_TRUE(first.ok);
  EXPECT_EQ(runs(), 3u) << "to preprocess, to compile and to link";
  fs::remove(first.module);
  const BuildResult again = build(kernel);
  EXPECT_TRUE(again.ok);
  EXPECT_TRUE(fs::exists(again.module));
  EXPECT_EQ(runs(), 3u);
  EXPECT_TRUE(build(std::string(kernel) + "// changed\n").ok);
  EXPECT_EQ(runs(), 6u);
  unsetenv("CXX");
}

}  // namespace
}  // namespace tilewise::grading
