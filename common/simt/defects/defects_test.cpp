// Every kernel of the suite, whichever way its threads take turns: the planted fault is found, with
// its kind and line, and nothing else is.

#include <cuda_runtime.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <string>
#include <tuple>

#include "common/gpu/gpu_profile.hpp"
#include "common/simt/defects/defect.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::defects {

void PrintTo(const Defect& defect, std::ostream* out) { *out << defect.name; }

namespace {

struct Order {
  const char* name;
  simt::ThreadOrder order;
  std::uint64_t seed;
};

constexpr Order orders[] = {{"forward", simt::ThreadOrder::forward, 0},
                            {"reverse", simt::ThreadOrder::reverse, 0},
                            {"shuffled1", simt::ThreadOrder::shuffled, 1},
                            {"shuffled2", simt::ThreadOrder::shuffled, 2},
                            {"shuffled3", simt::ThreadOrder::shuffled, 3}};

void PrintTo(const Order& order, std::ostream* out) { *out << order.name; }

bool contains(const std::vector<int>& lines, int line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

/// A missing __syncthreads() is a missing __syncwarp() too, where the two threads are of one warp.
bool is_of_kind(const simt::Finding& found, const std::string& kind) {
  return found.kind == kind || (kind == "race" && found.kind == "warp-race");
}

/// The lines of a race may come in either order.
bool is_at(const simt::Finding& found, const MarkedLines& marked) {
  const auto marks = [&](int line) {
    return contains(marked.fault, line) || contains(marked.other_side, line);
  };
  if (found.kind != "race" && found.kind != "warp-race") return marks(found.line);
  if (marked.other_side.empty()) return marks(found.line) && marks(found.other_line);
  return (contains(marked.fault, found.line) && contains(marked.other_side, found.other_line)) ||
         (contains(marked.other_side, found.line) && contains(marked.fault, found.other_line));
}

bool is_in(const simt::Finding& found, const Defect& defect) {
  const auto name = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  const std::string file = name(defect.file);
  return name(found.file) == file && (found.other_file.empty() || name(found.other_file) == file);
}

std::string describe(const simt::Finding& found) {
  return found.kind + " at " + found.file + ":" + std::to_string(found.line) + " and " +
         std::to_string(found.other_line) + ": " + found.message;
}

/// As messages name threads and blocks.
std::string in_words(const char* what, const std::array<unsigned, 3>& index) {
  return std::string(what) + " (" + std::to_string(index[0]) + ", " + std::to_string(index[1]) +
         ", " + std::to_string(index[2]) + ")";
}

class Defects : public ::testing::TestWithParam<std::tuple<Defect, Order>> {
 protected:
  void SetUp() override {
    simt::use_device(core::gpu_profile("gtx1080"));
    const Order order = std::get<1>(GetParam());
    simt::Watch wanted;
    wanted.checks = true;
    wanted.strict = true;
    wanted.order = order.order;
    wanted.seed = order.seed;
    simt::watch(wanted);
    simt::take_findings();
    simt::install_fault_handler([](const simt::Fault&) {});  // for divisions that go on
  }
  // A launch that was broken off leaves a device that refuses all further work.
  void TearDown() override { cudaDeviceReset(); }
};

TEST_P(Defects, AreFoundAtTheirLinesAndNowhereElse) {
  const Defect defect = std::get<0>(GetParam());
  const MarkedLines marked = marked_lines(defect);

  defect.run();
  const cudaError_t error = cudaDeviceSynchronize();

  std::string all_found;
  bool found_it = false, said_it = false;
  for (const simt::Finding& found : simt::take_findings()) {
    EXPECT_TRUE(is_of_kind(found, defect.kind) && is_in(found, defect) && is_at(found, marked))
        << "wrongly found: " << describe(found);
    const auto tells_of = [&](const char* text) {
      return found.message.find(text) != found.message.npos;
    };
    const bool is_the_hosts =
        !found.place && (tells_of("cudaMemcpyAsync()") || tells_of("and the host"));
    if (found.kind != "launch" && !is_the_hosts) {
      ASSERT_TRUE(found.place) << "whose is it? " << describe(found);
      EXPECT_THAT(found.message, ::testing::HasSubstr(in_words("thread", found.place->thread)));
      EXPECT_THAT(found.message, ::testing::HasSubstr(in_words("block", found.place->block)));
    }
    found_it = found_it || found.kind == defect.kind;
    said_it = said_it || found.message.find(defect.message) != std::string::npos;
    all_found += "\n" + describe(found);
  }
  if (defect.kind == std::string(none)) {
    EXPECT_EQ(error, cudaSuccess) << cudaGetErrorString(error);
    return;
  }
  EXPECT_TRUE(found_it) << "no " << defect.kind << " at " << defect.file << ":"
                        << marked.fault.front() << ", but" << all_found;
  EXPECT_TRUE(said_it) << "nothing says \"" << defect.message << "\" in" << all_found;
}

INSTANTIATE_TEST_SUITE_P(Suite, Defects,
                         ::testing::Combine(::testing::ValuesIn(all_defects()),
                                            ::testing::ValuesIn(orders)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" +
                                  std::get<1>(test.param).name;
                         });

}  // namespace
}  // namespace tilewise::defects
