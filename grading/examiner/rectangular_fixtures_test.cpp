// Tests the fixtures for transposes, DGEMM and DTRSM with a submission of known functions: the
// right ones pass, and each mistake is named.

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "common/base/files.hpp"
#include "grading/examiner/matrix_fixtures.hpp"
#include "grading/examiner/test_end.hpp"
#include "grading/examiner/testdata/rectangular.hpp"
#include "grading/profile/memory_use.hpp"

namespace tilewise::grading {
namespace {

using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

#define TRANSPOSE(function) \
  CONTRACT(function, "", "out(cols, rows)", "in(rows, cols)", "rows", "cols")
#define DGEMM(function)                                                                  \
  CONTRACT(function, "2 * m * n * k", "m", "n", "k", "alpha=1", "A(m, k, lda)", "lda=k", \
           "B(k, n, ldb)", "ldb=n", "beta=0", "C(m, n, ldc)", "ldc=n")
#define DTRSM(function)                                                                         \
  CONTRACT(function, "m * m * n", "m", "n", "alpha=1", "A(m, m, lda)", "lda=m", "B(m, n, ldb)", \
           "ldb=n")
#define DTRSM_32(function)                                                                       \
  CONTRACT(function, "32 * 32 * n", "n", "alpha=1", "A(32, 32, lda)", "lda=32", "B(32, n, ldb)", \
           "ldb=n")

/// A fixture outside of any test of its own, which makes public all that graders use of it.
template <typename Fixture>
struct Open : Fixture {
  void TestBody() override {}
  using Fixture::count;
  using Fixture::end_worker;
  using Fixture::expect_clean;
  using Fixture::expect_inside;
  using Fixture::expect_nothing_done;
  using Fixture::expect_refused;
  using Fixture::expect_right;
  using Fixture::measure;
  using Fixture::SetUp;
  using Fixture::TearDown;
};

struct Transpose : Open<TransposeTest> {
  using TransposeTest::expect_fast_enough;
};

template <typename Fixture>
struct OpenWithPeak : Open<Fixture> {
  using Fixture::expect_fast_enough;
};

using Dgemm = OpenWithPeak<DgemmTest>;
using Dtrsm = OpenWithPeak<DtrsmTest>;

/// Returns options for the simulator, with its time taken as a GPU's.
ExaminerOptions options() {
  const auto modules = core::executable_directory().parent_path() / "test";
  ExaminerOptions options;
  options.stage = "test";
  options.module = modules / "fixture_rectangular.so";
  options.checked_module = modules / "fixture_rectangular_checked.so";
  options.baselines = {{"twin", modules / "fixture_rectangular.so"},
                       {"nobody", modules / "no_such_module.so"}};
  options.backend = "simt";
  options.profile = core::gpu_profile("gtx1080");
  options.seed = 1;
  options.time_limit_s = 60;
  options.times_simulator = true;
  return options;
}

class RectangularFixtures : public testing::Test {
 protected:
  static void SetUpTestSuite() { StageTest::configure(options()); }
};

/// Returns what a grader's test that makes these calls says: message and hint, or nothing if it
/// passes.
template <typename Fixture>
std::string failure_of(const std::function<void(Fixture&)>& body) {
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    Fixture fixture;
    try {
      fixture.SetUp();
      body(fixture);
    } catch (const testing::AssertionException&) {
      // The failure has been reported.
    }
    fixture.TearDown();
  }
  return results.size() == 0 ? "" : results.GetTestPartResult(0).message();
}

// Transposes.

TransposeCase transpose(const TransposeFunction& function, int rows, int cols) {
  return {.function = function, .rows = rows, .cols = cols, .tile = 16};
}

TEST_F(RectangularFixtures, PassRightTransposes) {
  const auto right = [](int rows, int cols) {
    return transpose(TRANSPOSE(transpose_right), rows, cols);
  };
  EXPECT_EQ(failure_of<Transpose>([&](Transpose& test) {
              test.expect_right(right(32, 48));
              test.expect_right(right(1, 50));
              test.expect_inside(right(37, 21));
              test.expect_clean({right(17, 40), right(40, 17)});
              test.expect_refused(right(-1, 5), right(4, 5), "rows is negative");
              test.expect_nothing_done(right(0, 5));
              test.expect_nothing_done(right(5, 0));
              test.measure(right(64, 32), "gb_s");
            }),
            "");
}

TEST_F(RectangularFixtures, GoOnInAnotherWorkerAfterTheirOwn) {
  const auto right = transpose(TRANSPOSE(transpose_right), 32, 48);
  EXPECT_EQ(failure_of<Transpose>([&](Transpose& test) {
              test.expect_right(right);
              test.end_worker();
              test.expect_right(right);
              test.measure(right, "gb_s");
            }),
            "");
}

TEST_F(RectangularFixtures, TimeBaselinesBesideASubmission) {
  EXPECT_EQ(failure_of<Transpose>([&](Transpose& test) {
              test.measure(transpose(TRANSPOSE(transpose_right), 64, 32), "gb_s");
            }),
            "");
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const TestResult result = result_of({}, end_of(*test->result()));
  EXPECT_THAT(result.measurements,
              UnorderedElementsAre(Pair("gb_s", Gt(0)), Pair("twin_gb_s", Gt(0))));
}

TEST_F(RectangularFixtures, CountTransposes) {
  CountedCall counted;
  EXPECT_EQ(failure_of<Transpose>([&](Transpose& test) {
              counted = test.count(transpose(TRANSPOSE(transpose_right), 64, 32));
            }),
            "");
  EXPECT_EQ(counted.text, "transpose_right(rows=64, cols=32)");
  EXPECT_EQ(counted.use.total.global_load_bytes, 64u * 32 * sizeof(float));
  ASSERT_EQ(counted.launches.size(), 1u);
  EXPECT_EQ(counted.launches[0].launch.kernel, "transpose_kernel");
}

TEST_F(RectangularFixtures, NameMistakesOfTransposes) {
  const struct {
    const char* what;
    std::function<void(Transpose&)> body;
    const char* message;
  } cases[] = {
      {"copied",
       [](Transpose& test) { test.expect_right(transpose(TRANSPOSE(transpose_copies), 20, 30)); },
       "elements are wrong: out holds the elements of in one after the other"},
      {"written outside",
       [](Transpose& test) {
         test.expect_inside(transpose(TRANSPOSE(transpose_unguarded), 20, 30));
       },
       "transpose_unguarded(rows=20, cols=30) wrote 40 elements outside of out, the first one "
       "behind its end, where out[30][0] would be."},
      {"input changed",
       [](Transpose& test) {
         test.expect_inside(transpose(TRANSPOSE(transpose_clears_in), 20, 30));
       },
       "changed its input: in[0][0] was"},
      {"out of bounds",
       [](Transpose& test) {
         test.expect_clean({transpose(TRANSPOSE(transpose_unguarded), 20, 30)});
       },
       ", past the end of "},
      {"left over",
       [](Transpose& test) {
         test.expect_right(transpose(TRANSPOSE(transpose_once), 20, 30));
         test.expect_right(transpose(TRANSPOSE(transpose_once), 20, 30));
       },
       "the same call is right in a fresh process"},
      {"not refused",
       [](Transpose& test) {
         test.expect_refused(transpose(TRANSPOSE(transpose_any_shape), -1, 5),
                             transpose(TRANSPOSE(transpose_any_shape), 4, 5), "rows is negative");
       },
       "transpose_any_shape(rows=-1, cols=5) returned cudaSuccess, expected cudaErrorInvalidValue: "
       "rows is negative."},
      {"something done",
       [](Transpose& test) {
         test.expect_nothing_done(transpose(TRANSPOSE(transpose_any_shape), 0, 5));
       },
       "wrote to out, although there was nothing to do"},
      {"too slow",
       [](Transpose& test) {
         test.expect_fast_enough(transpose(TRANSPOSE(transpose_right), 32, 32), {.of_peak = 0.9});
       },
       "GB/s at 32 x 32"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_THAT(failure_of<Transpose>(c.body), HasSubstr(c.message));
  }
}

// DGEMM.

struct Factors {
  double alpha, beta;
};

DgemmCase dgemm(const DgemmFunction& function, Factors factors = {1, 0}) {
  return {.function = function,
          .m = 21,
          .n = 19,
          .k = 13,
          .alpha = factors.alpha,
          .beta = factors.beta,
          .lda = 16,
          .ldb = 24,
          .ldc = 20};
}

TEST_F(RectangularFixtures, PassRightProducts) {
  EXPECT_EQ(failure_of<Dgemm>([&](Dgemm& test) {
              DgemmCase dense{.function = DGEMM(dgemm_right), .m = 33, .n = 5, .k = 40};
              test.expect_right(dense);
              for (const Factors factors :
                   {Factors{1, 0}, Factors{2, -0.5}, Factors{0, 3}, Factors{0, 0}, Factors{1, 1}}) {
                const DgemmCase with_gaps = dgemm(DGEMM(dgemm_right), factors);
                test.expect_right(with_gaps);
                test.expect_inside(with_gaps);
                test.expect_clean({with_gaps});
                DgemmCase without_terms = with_gaps;
                without_terms.k = 0;
                test.expect_inside(without_terms);
              }
              DgemmCase nothing = dgemm(DGEMM(dgemm_right));
              nothing.m = 0;
              test.expect_nothing_done(nothing);
              std::swap(nothing.m, nothing.n);
              test.expect_nothing_done(nothing);
              const DgemmCase allocated = dgemm(DGEMM(dgemm_right), {1, 1});
              DgemmCase bad = allocated;
              bad.ldc = 18;
              test.expect_refused(bad, allocated, "ldc is less than n");
              test.measure(allocated, "gflops");
              test.measure(dense, "gflops");
            }),
            "");
}

TEST_F(RectangularFixtures, CountProducts) {
  CountedCall counted;
  EXPECT_EQ(failure_of<Dgemm>([&](Dgemm& test) {
              counted = test.count(dgemm(DGEMM(dgemm_right), {2, 0.5}));
            }),
            "");
  EXPECT_EQ(counted.text,
            "dgemm_right(m=21, n=19, k=13, alpha=2, lda=16, ldb=24, beta=0.5, ldc=20)");
  EXPECT_EQ(counted.use.total.global_store_bytes, 21u * 19 * sizeof(double));
}

TEST_F(RectangularFixtures, NameMistakesOfProducts) {
  const struct {
    const char* what;
    std::function<void(Dgemm&)> body;
    const char* message;
  } cases[] = {
      {"C read for beta = 0", [](Dgemm& test) { test.expect_right(dgemm(DGEMM(dgemm_reads_all))); },
       "C[0][0] is NaN, expected "},
      {"C read for beta = 0", [](Dgemm& test) { test.expect_right(dgemm(DGEMM(dgemm_reads_all))); },
       "the kernel reads C although beta is 0"},
      {"A and B read for alpha = 0",
       [](Dgemm& test) {
         test.expect_right(dgemm(DGEMM(dgemm_reads_all), {0, 2}));
       },
       "NaN that A and B hold got into the result although alpha is 0"},
      {"A read for alpha = 0, by line",
       [](Dgemm& test) {
         test.expect_clean({dgemm(DGEMM(dgemm_reads_all), {0, 2})});
       },
       "which nothing has written"},
      {"rows of C too close", [](Dgemm& test) { test.expect_right(dgemm(DGEMM(dgemm_dense))); },
       "outside of C, the first one behind the 19 elements of row 0, in the gap before the next "
       "row."},
      {"in float",
       [](Dgemm& test) {
         test.expect_right(dgemm(DGEMM(dgemm_in_float), {1.5, 0.5}));
       },
       "the arithmetic is less precise than double"},
      {"in float, timed", [](Dgemm& test) { test.measure(dgemm(DGEMM(dgemm_in_float)), "gflops"); },
       "dgemm_in_float(m=21, n=19, k=13, alpha=1, lda=16, ldb=24, beta=0, ldc=20): C[0][0] is"},
      {"too slow",
       [](Dgemm& test) {
         test.expect_fast_enough(dgemm(DGEMM(dgemm_right)), {.of_peak = 0.9}, "");
       },
       "GFLOPS at m = 21, n = 19, k = 13"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_THAT(failure_of<Dgemm>(c.body), HasSubstr(c.message));
  }
}

// DTRSM.

DtrsmCase dtrsm(const DtrsmFunction& function, int m, int n, double alpha = 1) {
  return {.function = function, .m = m, .n = n, .alpha = alpha, .lda = m + 3, .ldb = n + 5};
}

TEST_F(RectangularFixtures, PassRightSolutions) {
  EXPECT_EQ(failure_of<Dtrsm>([&](Dtrsm& test) {
              const auto right = DTRSM(dtrsm_right);
              for (const int m : {1, 31, 32, 33, 100}) {
                test.expect_right(dtrsm(right, m, 7, -0.5));
                test.expect_inside(dtrsm(right, m, 40, 0.3));
              }
              test.expect_right(dtrsm(right, 40, 7, 0));
              test.expect_right({.function = right, .m = 65, .n = 33});
              test.expect_clean({dtrsm(right, 40, 5, 2), dtrsm(right, 40, 5, 0)});
              test.expect_nothing_done(dtrsm(right, 0, 5));
              test.expect_nothing_done(dtrsm(right, 5, 0));
              DtrsmCase bad = dtrsm(right, 40, 5);
              bad.lda = 39;
              test.expect_refused(bad, dtrsm(right, 40, 5), "lda is less than m");
              test.measure(dtrsm(right, 40, 40), "gflops");
            }),
            "");
}

TEST_F(RectangularFixtures, CountSolutionsLaunchByLaunch) {
  CountedCall counted;
  EXPECT_EQ(failure_of<Dtrsm>(
                [&](Dtrsm& test) { counted = test.count(dtrsm(DTRSM(dtrsm_right), 100, 40)); }),
            "");
  ASSERT_EQ(counted.launches.size(), 7u);
  const std::vector<KernelUse> kernels = by_kernel(counted.launches);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kernel, "solve_kernel");
  EXPECT_EQ(kernels[0].launches, 4);
  EXPECT_EQ(kernels[0].largest_shared_bytes, 32u * 32 * sizeof(double));
  EXPECT_GT(kernels[0].use.total.shared_load_requests, 0u);
  EXPECT_EQ(kernels[1].kernel, "dgemm_kernel");
  EXPECT_EQ(kernels[1].launches, 3);
  EXPECT_EQ(kernels[1].largest_shared_bytes, 0u);
}

TEST_F(RectangularFixtures, NameMistakesOfSolutions) {
  const struct {
    const char* what;
    std::function<void(Dtrsm&)> body;
    const char* message;
  } cases[] = {
      {"no updates",
       [](Dtrsm& test) { test.expect_right(dtrsm(DTRSM(dtrsm_without_updates), 70, 7)); },
       "dtrsm_without_updates(m=70, n=7, alpha=1, lda=73, ldb=12): X[32][0] is "},
      {"no updates",
       [](Dtrsm& test) { test.expect_right(dtrsm(DTRSM(dtrsm_without_updates), 70, 7)); },
       "each block of 32 rows is solved by itself"},
      {"B read for alpha = 0",
       [](Dtrsm& test) {
         test.expect_right(dtrsm(of_32_rows(DTRSM_32(dtrsm_loads_all)), 32, 7, 0));
       },
       "NaN that B and A hold is left although alpha is 0"},
      {"loads above the diagonal",
       [](Dtrsm& test) {
         const DtrsmCase all = dtrsm(of_32_rows(DTRSM_32(dtrsm_loads_all)), 32, 7);
         test.expect_right(all);  // its needless loads do not change the result
         test.expect_clean({all});
       },
       "reads A[0][1], above the diagonal"},
      {"too slow",
       [](Dtrsm& test) {
         test.expect_fast_enough(dtrsm(DTRSM(dtrsm_right), 40, 40), {.of_peak = 0.9}, "");
       },
       "GFLOPS at m = 40, n = 40"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_THAT(failure_of<Dtrsm>(c.body), HasSubstr(c.message));
  }
}

// Tests speed by the model. Each function is its own reference solution.
class ModelledRates : public testing::Test {
 protected:
  static void SetUpTestSuite() { configure("gtx1080"); }

  static void configure(const std::string& gpu) {
    ExaminerOptions modelled = options();
    modelled.times_simulator = false;
    modelled.baselines = {{"reference", modelled.checked_module}};
    modelled.profile = core::gpu_profile(gpu);
    StageTest::configure(modelled);
  }

  static TestResult result_so_far() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    return result_of({}, end_of(*test->result()));
  }
};

constexpr SpeedMinimum as_fast{.of_model = 1}, twice_as_fast{.of_model = 2};

TEST_F(ModelledRates, AreRecordedWithTheirMinimum) {
  EXPECT_EQ(failure_of<Transpose>([&](Transpose& test) {
              test.expect_fast_enough(transpose(TRANSPOSE(transpose_right), 640, 640),
                                      {.of_model = 0.5});
            }),
            "");
  const TestResult result = result_so_far();
  EXPECT_THAT(result.measurements,
              UnorderedElementsAre(Pair("gb_s", Gt(0)), Pair("reference_gb_s", Gt(0)),
                                   Pair("minimum_gb_s", Gt(0))));
  EXPECT_DOUBLE_EQ(result.measurements.at("gb_s"), 2 * result.measurements.at("minimum_gb_s"));
  EXPECT_THAT(result.finding.message,
              HasSubstr("GB/s at 640 x 640 (modelled for gtx1080), minimum"));
}

TEST_F(ModelledRates, AreRecordedWithoutAMinimum) {
  EXPECT_EQ(failure_of<Dgemm>([](Dgemm& test) {
              test.measure({.function = DGEMM(dgemm_right), .m = 64, .n = 64, .k = 64}, "gflops");
            }),
            "");
  EXPECT_THAT(result_so_far().measurements, UnorderedElementsAre(Pair("gflops", Gt(0))));
  EXPECT_THAT(result_so_far().finding.message,
              HasSubstr("GFLOPS (modelled for gtx1080), limited by"));
}

TEST_F(ModelledRates, OfFunctionsThatWorkInPlaceOrLaunchManyKernels) {
  EXPECT_EQ(failure_of<Dtrsm>([](Dtrsm& test) {
              test.expect_fast_enough(dtrsm(DTRSM(dtrsm_right), 256, 300), as_fast, "");
            }),
            "");
  EXPECT_EQ(failure_of<Dgemm>([](Dgemm& test) {
              test.expect_fast_enough(dgemm(DGEMM(dgemm_right), {2, -0.5}), as_fast, "");
            }),
            "")
      << "C is read, so that what only some blocks leave there cannot be judged";
}

TEST_F(ModelledRates, NameWhatIsWrong) {
  const struct {
    const char* what;
    std::function<std::string()> failure;
    const char* message;
  } cases[] = {
      {"a slow transpose",
       [] {
         return failure_of<Transpose>([](Transpose& test) {
           test.expect_fast_enough(transpose(TRANSPOSE(transpose_right), 320, 320), twice_as_fast);
         });
       },
       "GB/s at 320 x 320 (modelled for gtx1080), minimum"},
      {"a wrong transpose",
       [] {
         return failure_of<Transpose>([](Transpose& test) {
           test.expect_fast_enough(transpose(TRANSPOSE(transpose_copies), 640, 640), as_fast);
         });
       },
       "transpose_copies(rows=640, cols=640): out["},
      {"a slow product",
       [] {
         return failure_of<Dgemm>([](Dgemm& test) {
           test.expect_fast_enough(dgemm(DGEMM(dgemm_right)), twice_as_fast, "Be quick.");
         });
       },
       "Be quick."},
      {"a product in float",
       [] {
         return failure_of<Dgemm>([](Dgemm& test) {
           test.expect_fast_enough(dgemm(DGEMM(dgemm_in_float)), as_fast, "");
         });
       },
       "dgemm_in_float(m=21, n=19, k=13, alpha=1, lda=16, ldb=24, beta=0, ldc=20): C["},
      {"a wrong solution",
       [] {
         return failure_of<Dtrsm>([](Dtrsm& test) {
           test.expect_fast_enough(dtrsm(DTRSM(dtrsm_without_updates), 70, 70), as_fast, "");
         });
       },
       "dtrsm_without_updates(m=70, n=70, alpha=1, lda=73, ldb=75): X["},
      {"nothing computed",
       [] {
         return failure_of<Transpose>([](Transpose& test) {
           test.expect_fast_enough(transpose(TRANSPOSE(transpose_once), 640, 640), as_fast);
           test.expect_fast_enough(transpose(TRANSPOSE(transpose_once), 640, 640), as_fast);
         });
       },
       "transpose_once"},
      {"more launches than are looked at",
       [] {
         return failure_of<Dtrsm>([](Dtrsm& test) {
           test.expect_fast_enough(dtrsm(DTRSM(dtrsm_right), 32 * 40, 8), as_fast, "");
         });
       },
       "has no modelled time: of its 79 launches only 64 are looked at"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_THAT(c.failure(), HasSubstr(c.message));
  }
}

TEST_F(ModelledRates, InDoublesNeedAGpuThatIsKnownToHaveThem) {
  configure("gtx280");
  EXPECT_EQ(failure_of<Dgemm>([](Dgemm& test) {
              test.expect_fast_enough(dgemm(DGEMM(dgemm_right)), as_fast, "");
            }),
            "");
  EXPECT_THAT(result_so_far().finding.message, HasSubstr("It is not known how fast the"));
}

}  // namespace
}  // namespace tilewise::grading
