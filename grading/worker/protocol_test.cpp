#include "grading/worker/protocol.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace tilewise::grading {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

WorkerReply example_reply() {
  WorkerReply reply;
  reply.kind = WorkerReply::Kind::returned;
  reply.status = -7;
  reply.status_name = "cudaErrorInvalidValue";
  reply.launches = 3;
  reply.bytes_for_the_host = 400;
  reply.loaded_libraries = {"libcublas.so.13"};
  reply.launch_list = {{"k<16>", {1, 2, 3}, {4, 5, 6}, 4096, "matmul.cu", 12, 2048}};
  reply.findings = {{.kind = "race",
                     .message = "two threads meet",
                     .file = "matmul.cu",
                     .line = 31,
                     .other_file = "matmul.hpp",
                     .other_line = 28,
                     .place = ThreadOfGrid{{7, 8, 9}, {10, 11, 12}}}};
  KernelProfile profile;
  profile.launch = reply.launch_list[0];
  profile.static_shared_bytes = 512;
  profile.blocks = 6;
  profile.simulated_blocks = 2;
  profile.counters.global_load_sectors = std::uint64_t{1} << 40;
  profile.counters.barriers = 9;
  profile.lines = {{"matmul.cu", 28, {}}};
  profile.lines[0].counters.shared_bank_conflicts = 7;
  profile.partition_bytes = {100, 200};
  profile.partitions_by_run = {
      {.loads = {1, 2, 3, 4, 5, 6, 7, 8}, .stores = {11, 12, 13, 14, 15, 16, 17, 18}},
      {.loads = {0, 0, 0, 0, 0, 0, 0, 32}, .stores = {}}};
  profile.blocks_a_run = 3;
  profile.footprint.load_sectors = 11;
  profile.footprint.waiting_intervals = 12;
  profile.footprint.idle_intervals = 13;
  profile.footprint.overlapped_intervals = 14;
  reply.profiles = {profile};
  reply.times_ms = {0.25, 1e-3};
  reply.copies_ms = 6.5;
  reply.trace_bytes = 77;
  reply.message = "text";
  reply.device = {"GPU", 9, 0, 132, 1980, 4800, 50 << 20};
  return reply;
}

TEST(Protocol, HasATraceBehindTheImages) {
  BufferArgument A, B, elsewhere;
  A.offset = 4096;
  A.image_bytes = 100;
  B.image_bytes = 4096;
  elsewhere.device_only = true;
  elsewhere.image_bytes = 1 << 20;
  const Argument arguments[] = {A, std::int64_t{1} << 30, B, elsewhere};
  EXPECT_EQ(trace_offset(arguments), 4196u);
  EXPECT_EQ(trace_offset({}), 0u);
}

TEST(Protocol, CarriesARequest) {
  BufferArgument buffer;
  buffer.offset = 4096;
  buffer.image_bytes = 100;
  buffer.payload_offset = 16;
  buffer.payload_bytes = 64;
  buffer.name = "A";
  buffer.read_only = true;
  buffer.uninitialised = true;
  buffer.element_bytes = 4;
  buffer.row_elements = 37;
  buffer.device_only = true;
  const double infinity = std::numeric_limits<double>::infinity();
  const simt::Watch watch{.checks = true,
                          .counters = true,
                          .sample = true,
                          .estimate = true,
                          .trace = true,
                          .order = simt::ThreadOrder::shuffled,
                          .seed = ~std::uint64_t{0}};
  const CallRequest request = decode_call(
      encode(CallRequest{"matmul",
                         {buffer, std::int64_t{-5}, infinity, std::array<unsigned, 3>{7, 8, 9}},
                         Timing{2, 9, 10},
                         watch}));
  EXPECT_EQ(request.function, "matmul");
  ASSERT_EQ(request.arguments.size(), 4u);
  const auto& received = std::get<BufferArgument>(request.arguments[0]);
  EXPECT_EQ(received.offset, 4096u);
  EXPECT_EQ(received.image_bytes, 100u);
  EXPECT_EQ(received.payload_offset, 16u);
  EXPECT_EQ(received.payload_bytes, 64u);
  EXPECT_EQ(received.name, "A");
  EXPECT_TRUE(received.read_only);
  EXPECT_TRUE(received.uninitialised);
  EXPECT_EQ(received.element_bytes, 4u);
  EXPECT_EQ(received.row_elements, 37u);
  EXPECT_TRUE(received.device_only);
  EXPECT_EQ(std::get<std::int64_t>(request.arguments[1]), -5);
  EXPECT_EQ(std::get<double>(request.arguments[2]), infinity);
  EXPECT_THAT((std::get<std::array<unsigned, 3>>(request.arguments[3])), ElementsAre(7, 8, 9));
  ASSERT_TRUE(request.timing);
  EXPECT_EQ(request.timing->warmups, 2);
  EXPECT_EQ(request.timing->repetitions, 9);
  ASSERT_TRUE(request.watch);
  EXPECT_TRUE(request.watch->checks);
  EXPECT_TRUE(request.watch->counters);
  EXPECT_TRUE(request.watch->sample);
  EXPECT_TRUE(request.watch->estimate);
  EXPECT_TRUE(request.watch->trace);
  EXPECT_EQ(request.watch->order, simt::ThreadOrder::shuffled);
  EXPECT_EQ(request.watch->seed, ~std::uint64_t{0});
}

TEST(Protocol, CarriesARequestThatAsksForTheCallAlone) {
  CallRequest request;
  request.function = "matmul";
  const CallRequest received = decode_call(encode(request));
  EXPECT_FALSE(received.timing);
  EXPECT_FALSE(received.watch);
}

TEST(Protocol, CarriesAHello) {
  core::GpuProfile profile;
  profile.id = "gtx1080";
  profile.dram_gb_s = 320.25;
  profile.banks = 32;
  const Hello hello = decode_hello(encode(Hello{"secret", "/tmp/x.so", profile, true}));
  EXPECT_EQ(hello.token, "secret");
  EXPECT_EQ(hello.module, "/tmp/x.so");
  EXPECT_EQ(hello.profile.id, "gtx1080");
  EXPECT_EQ(hello.profile.dram_gb_s, 320.25);
  EXPECT_EQ(hello.profile.banks, 32);
  EXPECT_TRUE(hello.writes_coverage);
}

TEST(Protocol, CarriesAReply) {
  std::string problem;
  const auto reply = decode_reply(encode(example_reply(), "secret", 4), "secret", 4, problem);
  ASSERT_TRUE(reply) << problem;
  EXPECT_EQ(reply->kind, WorkerReply::Kind::returned);
  EXPECT_EQ(reply->status, -7);
  EXPECT_EQ(reply->status_name, "cudaErrorInvalidValue");
  EXPECT_EQ(reply->launches, 3);
  EXPECT_EQ(reply->bytes_for_the_host, 400u);
  EXPECT_THAT(reply->loaded_libraries, ElementsAre("libcublas.so.13"));
  ASSERT_EQ(reply->launch_list.size(), 1u);
  EXPECT_EQ(reply->launch_list[0].kernel, "k<16>");
  EXPECT_THAT(reply->launch_list[0].grid, ElementsAre(1, 2, 3));
  EXPECT_THAT(reply->launch_list[0].block, ElementsAre(4, 5, 6));
  EXPECT_EQ(reply->launch_list[0].dynamic_shared_bytes, 4096u);
  EXPECT_EQ(reply->launch_list[0].file, "matmul.cu");
  EXPECT_EQ(reply->launch_list[0].line, 12);
  ASSERT_EQ(reply->findings.size(), 1u);
  EXPECT_EQ(reply->findings[0].kind, "race");
  EXPECT_EQ(reply->findings[0].line, 31);
  EXPECT_EQ(reply->findings[0].other_file, "matmul.hpp");
  EXPECT_EQ(reply->findings[0].other_line, 28);
  EXPECT_EQ(reply->findings[0].place, (ThreadOfGrid{{7, 8, 9}, {10, 11, 12}}));
  ASSERT_EQ(reply->profiles.size(), 1u);
  const KernelProfile& profile = reply->profiles[0];
  EXPECT_EQ(profile.launch.kernel, "k<16>");
  EXPECT_EQ(profile.static_shared_bytes, 512u);
  EXPECT_EQ(profile.blocks, 6u);
  EXPECT_EQ(profile.simulated_blocks, 2u);
  EXPECT_EQ(profile.counters.global_load_sectors, std::uint64_t{1} << 40);
  EXPECT_EQ(profile.counters.global_load_requests, 0u);
  EXPECT_EQ(profile.counters.barriers, 9u);
  ASSERT_EQ(profile.lines.size(), 1u);
  EXPECT_EQ(profile.lines[0].file, "matmul.cu");
  EXPECT_EQ(profile.lines[0].line, 28);
  EXPECT_EQ(profile.lines[0].counters.shared_bank_conflicts, 7u);
  EXPECT_THAT(profile.partition_bytes, ElementsAre(100, 200));
  ASSERT_EQ(profile.partitions_by_run.size(), 2u);
  EXPECT_THAT(profile.partitions_by_run[0].loads, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(profile.partitions_by_run[0].stores, ElementsAre(11, 12, 13, 14, 15, 16, 17, 18));
  EXPECT_EQ(profile.partitions_by_run[1].loads[7], 32u);
  EXPECT_EQ(profile.blocks_a_run, 3u);
  EXPECT_EQ(profile.footprint.load_sectors, 11u);
  EXPECT_EQ(profile.footprint.waiting_intervals, 12u);
  EXPECT_EQ(profile.footprint.idle_intervals, 13u);
  EXPECT_EQ(profile.footprint.overlapped_intervals, 14u);
  EXPECT_EQ(profile.footprint.store_lines, 0u);
  EXPECT_THAT(reply->times_ms, ElementsAre(0.25, 1e-3));
  EXPECT_EQ(reply->copies_ms, 6.5);
  EXPECT_EQ(reply->trace_bytes, 77u);
  EXPECT_EQ(reply->message, "text");
  EXPECT_EQ(reply->device.name, "GPU");
  EXPECT_EQ(reply->device.l2_bytes, std::size_t{50} << 20);
}

TEST(Protocol, CarriesEveryCounter) {
  WorkerReply reply = example_reply();
  std::uint64_t value = 1;
  for (const NamedCounter& counter : all_counters) {
    reply.profiles[0].counters.*counter.value = value++;
  }
  std::string problem;
  const auto received = decode_reply(encode(reply, "secret", 0), "secret", 0, problem);
  ASSERT_TRUE(received) << problem;
  for (const NamedCounter& counter : all_counters) {
    EXPECT_EQ(received->profiles[0].counters.*counter.value,
              reply.profiles[0].counters.*counter.value)
        << counter.name;
  }
}

TEST(Protocol, KeepsAReplyShort) {
  WorkerReply reply = example_reply();
  for (const NamedCounter& counter : all_counters) {
    reply.profiles[0].lines[0].counters.*counter.value = 1'000'000'000;
  }
  reply.profiles[0].lines.assign(1000, reply.profiles[0].lines[0]);
  simt::PartitionBytes run;
  run.loads.fill(1'000'000'000);
  run.stores.fill(1'000'000'000);
  reply.profiles[0].partitions_by_run.assign(max_listed_runs, run);
  reply.profiles.assign(100, reply.profiles[0]);
  reply.launch_list.assign(100'000, reply.launch_list[0]);
  reply.findings.assign(100'000, reply.findings[0]);
  const std::string message = encode(reply, "secret", 0);
  EXPECT_LT(message.size(), max_message_bytes / 2);
  std::string problem;
  EXPECT_TRUE(decode_reply(message, "secret", 0, problem)) << problem;
}

TEST(Protocol, ListsTheRunsOfALaunchWholeOrNotAtAll) {
  WorkerReply reply = example_reply();
  const simt::PartitionBytes run{.loads = {32}, .stores = {64}};
  reply.profiles.assign(3, reply.profiles[0]);
  reply.profiles[0].partitions_by_run.assign(max_listed_runs - 10, run);
  reply.profiles[1].partitions_by_run.assign(11, run);
  reply.profiles[2].partitions_by_run.assign(10, run);
  std::string problem;
  const auto received = decode_reply(encode(reply, "secret", 0), "secret", 0, problem);
  ASSERT_TRUE(received) << problem;
  EXPECT_EQ(received->profiles[0].partitions_by_run.size(), max_listed_runs - 10);
  EXPECT_EQ(received->profiles[1].partitions_by_run.size(), 0u);
  EXPECT_EQ(received->profiles[2].partitions_by_run.size(), 10u);
}

TEST(Protocol, SendsTextThatIsNoUtf8) {
  WorkerReply reply = example_reply();
  reply.message = "bad \xff byte";
  std::string problem;
  const auto received = decode_reply(encode(reply, "secret", 0), "secret", 0, problem);
  ASSERT_TRUE(received) << problem;
  EXPECT_THAT(received->message, HasSubstr(" byte"));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// Returns a list of one number more than `count`.
std::string longer_than(std::size_t count) {
  std::string text = "[1";
  for (std::size_t i = 0; i < count; ++i) text += ",1";
  return text + "]";
}

struct Forgery {
  std::string from, to, problem;
};

class RefusesReply : public testing::TestWithParam<Forgery> {};

TEST_P(RefusesReply, ThatIsForgedOrGarbled) {
  const std::string honest = encode(example_reply(), "secret", 4);
  std::string problem;
  EXPECT_FALSE(
      decode_reply(replaced(honest, GetParam().from, GetParam().to), "secret", 4, problem));
  EXPECT_THAT(problem, HasSubstr(GetParam().problem));
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusesReply,
    testing::Values(
        Forgery{"\"token\":\"secret\"", "\"token\":\"guess\"", "forged"},
        Forgery{"\"token\":\"secret\"", "\"token\":null", "field token"},
        Forgery{"\"token\":", "\"other\":", "no field token"},
        Forgery{"\"sequence\":4", "\"sequence\":3", "out of turn"},
        Forgery{"\"sequence\":4", "\"sequence\":18446744073709551615", "field sequence"},
        Forgery{"\"kind\":\"returned\"", "\"kind\":\"passed\"", "field kind"},
        Forgery{"\"status\":-7", "\"status\":99999999999", "field status"},
        Forgery{"\"status\":-7", "\"status\":1.5", "field status"},
        Forgery{"\"launches\":3", "\"launches\":-1", "field launches"},
        Forgery{"\"launches\":3", "\"launches\":\"3\"", "field launches"},
        Forgery{"[1,2,3]", "[1,2]", "field grid"}, Forgery{"[4,5,6]", "[4,5,-6]", "field block"},
        Forgery{"[4,5,6]", "[4,5,4294967296]", "field block"},
        Forgery{"[4,5,6]", "{\"x\":4}", "field block"}, Forgery{"0.25", "-0.25", "field times_ms"},
        Forgery{"6.5", "-6.5", "field copies_ms"}, Forgery{"6.5", "null", "field copies_ms"},
        Forgery{"0.25", "null", "field times_ms"}, Forgery{"0.25", "\"fast\"", "field times_ms"},
        Forgery{"\"message\":\"text\"", "\"message\":[]", "field message"},
        Forgery{"\"line\":31", "\"line\":-31", "field line"},
        Forgery{"\"line\":31", "\"line\":1e300", "field line"},
        Forgery{"\"other_line\":28", "\"other_line\":-28", "field other_line"},
        Forgery{"\"kind\":\"race\"", "\"kind\":\"race\",\"hint\":\"give up\"", "field findings"},
        Forgery{"\"kind\":\"race\"", "\"kind\":\"race\",\"call\":\"f(n=1)\"", "field findings"},
        Forgery{"\"barriers\":9", "\"barriers\":-9", "field barriers"},
        Forgery{"\"barriers\":9", "\"barriers\":18446744073709551615", "field barriers"},
        Forgery{"\"barriers\":9", "\"barriers\":9.5", "field barriers"},
        Forgery{"{\"shared_bank_conflicts\":7}", "[7]", "field counters"},
        Forgery{"\"blocks\":6", "\"blocks\":1e300", "field blocks"},
        Forgery{"[100,200]", "[100,\"200\"]", "field partition_bytes"},
        Forgery{"[100,200]", "[" + std::string(200, '1') + "]", "field partition_bytes"},
        Forgery{"[100,200]", longer_than(max_partitions), "field partition_bytes"},
        Forgery{"[1,2,3,4,5,6,7,8,11", "[1,2,3,4,5,6,7,11", "field partitions_by_run"},
        Forgery{"[1,2,3,4,5,6,7,8,11", "[1,2,3,4,5,6,7,8,9,11", "field partitions_by_run"},
        Forgery{"[1,2,3,4,5,6,7,8,11", "[1,2,3,4,5,6,7,8,-11", "field partitions_by_run"},
        Forgery{"[1,2,3,4,5,6,7,8,11", "[1,2,3,4,5,6,7,8,1e30", "field partitions_by_run"},
        Forgery{"[[1,2,3,4,5,6,7,8,11", "[7,[1,2,3,4,5,6,7,8,11", "field partitions_by_run"},
        Forgery{"\"partitions_by_run\":[",
                "\"partitions_by_run\":" + longer_than(max_listed_runs) + ",\"x\":[",
                "field partitions_by_run"},
        Forgery{"\"blocks_a_run\":3", "\"blocks_a_run\":0", "field blocks_a_run"},
        Forgery{"\"blocks_a_run\":3", "\"blocks_a_run\":18446744073709551615",
                "field blocks_a_run"},
        Forgery{"\"lines\":[", "\"lines\":" + longer_than(max_listed_lines) + ",\"x\":[",
                "field lines"},
        Forgery{"\"profiles\":[", "\"profiles\":" + longer_than(max_listed) + ",\"x\":[",
                "field profiles"},
        Forgery{"\"findings\":[", "\"findings\":" + longer_than(max_listed) + ",\"x\":[",
                "field findings"},
        Forgery{"\"name\":\"GPU\"", "\"name\":{}", "field name"}));

TEST(Protocol, RefusesWhatIsNoReplyAtAll) {
  constexpr std::size_t depth = 100'000;
  const std::string deep(depth, '[');
  for (const std::string& message :
       {std::string(), std::string("garbage"), std::string("[]"), std::string("7"),
        std::string("null"), std::string("{\"token\":\"secret\"}"), std::string("\"\xff\""), deep,
        deep + std::string(depth, ']')}) {
    std::string problem;
    EXPECT_FALSE(decode_reply(message, "secret", 0, problem)) << message.substr(0, 20);
    EXPECT_NE(problem, "");
  }
}

}  // namespace
}  // namespace tilewise::grading
