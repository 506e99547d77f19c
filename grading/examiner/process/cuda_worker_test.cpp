// Needs a GPU, and is skipped without one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "common/base/files.hpp"
#include "grading/examiner/process/worker.hpp"

namespace tilewise::grading {
namespace {

using Ending = CallReply::Ending;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::SizeIs;

class CudaWorker : public testing::Test {
 protected:
  void SetUp() override {
    const auto folder = core::executable_directory();
    worker_ =
        std::make_unique<Worker>(WorkerOptions{.executable = folder / "../bin/tilewise-worker-cuda",
                                               .module = folder / "fixture_cuda.so",
                                               .profile = {},
                                               .time_limit_s = 5,
                                               .shared_bytes = 64 << 10});
    const CallReply& ready = worker_->ready();
    if (ready.finding.message.find("no usable NVIDIA GPU") != std::string::npos) GTEST_SKIP();
    ASSERT_EQ(ready.ending, Ending::returned) << ready.finding.message;
  }

  BufferArgument place(std::size_t offset, const std::vector<float>& values) {
    const std::size_t bytes = values.size() * sizeof(float);
    std::memcpy(worker_->memory().data() + offset, values.data(), bytes);
    BufferArgument buffer;
    buffer.offset = offset;
    buffer.image_bytes = buffer.payload_bytes = bytes;
    buffer.name = "data";
    return buffer;
  }

  std::vector<float> values_at(std::size_t offset, std::size_t count) {
    std::vector<float> values(count);
    std::memcpy(values.data(), worker_->memory().data() + offset, count * sizeof(float));
    return values;
  }

  std::unique_ptr<Worker> worker_;
};

TEST_F(CudaWorker, DescribesTheDevice) {
  EXPECT_NE(worker_->device().name, "");
  EXPECT_GE(worker_->device().compute_major, 6);
  EXPECT_GT(worker_->device().sms, 0);
  EXPECT_GT(worker_->device().l2_bytes, 0u);
}

TEST_F(CudaWorker, BringsOutputsBackAndCountsLaunches) {
  const BufferArgument in = place(0, {1, 2, 3});
  BufferArgument out = place(1024, {9, 9, 9, 9, 9});
  out.payload_offset = sizeof(float);
  out.payload_bytes -= 2 * sizeof(float);
  const CallReply reply = worker_->call(
      "scale",
      std::vector<Argument>{in, out, std::int64_t{3}, 0.5, std::array<unsigned, 3>{2, 1, 1}});
  ASSERT_EQ(reply.ending, Ending::returned) << reply.finding.message;
  EXPECT_EQ(reply.cuda_status, 0);
  EXPECT_THAT(values_at(1024, 5), ElementsAre(9, 0.5, 1, 1.5, 9));
  EXPECT_EQ(reply.launches, 1);
  ASSERT_THAT(reply.launch_list, SizeIs(1));
  EXPECT_THAT(reply.launch_list[0].grid, ElementsAre(2, 1, 1));
  EXPECT_THAT(reply.launch_list[0].block, ElementsAre(2, 1, 1));
}

TEST_F(CudaWorker, TimesEveryRunFromTheSameOutputs) {
  const CallReply reply =
      worker_->call("accumulate_twice", std::vector<Argument>{place(0, {10})}, Timing{2, 5});
  ASSERT_EQ(reply.ending, Ending::returned) << reply.finding.message;
  EXPECT_THAT(reply.times_ms, AllOf(SizeIs(5), Each(Gt(0))));
  EXPECT_THAT(values_at(0, 1), ElementsAre(13));
  EXPECT_EQ(reply.launches, 2);
  ASSERT_THAT(reply.launch_list, SizeIs(2));
  EXPECT_EQ(reply.launch_list[1].dynamic_shared_bytes, 1024u);
}

TEST_F(CudaWorker, TimesWorkOnOtherStreamsToo) {
  const CallReply reply = worker_->call("accumulate_on_own_stream",
                                        std::vector<Argument>{place(0, {10})}, Timing{1, 5});
  ASSERT_EQ(reply.ending, Ending::returned) << reply.finding.message;
  constexpr double million_clocks_at_4_ghz_ms = 0.25;
  EXPECT_THAT(reply.times_ms, Each(Gt(million_clocks_at_4_ghz_ms)));
  EXPECT_THAT(values_at(0, 1), ElementsAre(11));
}

TEST_F(CudaWorker, CountsNoLaunchThatFailed) {
  const CallReply reply = worker_->call("launch_wrongly", {});
  ASSERT_EQ(reply.ending, Ending::returned) << reply.finding.message;
  // Older toolkits and drivers call it cudaErrorInvalidConfiguration, CUDA 13
  // cudaErrorInvalidValue.
  EXPECT_NE(reply.cuda_status, 0);
  EXPECT_EQ(reply.launches, 0);
  const CallReply next = worker_->call("accumulate_twice", std::vector<Argument>{place(0, {1})});
  EXPECT_EQ(next.cuda_status, 0) << "an error of the last call is left over";
}

TEST_F(CudaWorker, ReportsAKernelThatFailed) {
  const CallReply reply =
      worker_->call("write_out_of_bounds", std::vector<Argument>{place(0, {1})});
  EXPECT_EQ(reply.ending, Ending::crashed);
  EXPECT_THAT(reply.finding.message,
              HasSubstr("a kernel that write_out_of_bounds launched failed"));
}

TEST_F(CudaWorker, EndsAKernelThatRunsForEver) {
  const CallReply reply = worker_->call("loop_in_kernel", {});
  EXPECT_EQ(reply.ending, Ending::timed_out);
  EXPECT_THAT(reply.finding.message, HasSubstr("a kernel it launched has not ended"));
}

}  // namespace
}  // namespace tilewise::grading
