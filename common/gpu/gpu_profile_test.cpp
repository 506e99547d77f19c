#include "common/gpu/gpu_profile.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace tilewise::core {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(GpuProfile, CarriesTheCardsPublishedFacts) {
  struct Case {
    const char* id;
    int major, minor;
    double peak_gflops;  // from the data sheet
    std::size_t default_shared;
    int threads_per_block;
  };
  const Case cases[] = {
      {"gt240", 1, 2, 268.8, 16384, 512},
      {"gtx280", 1, 3, 622.08, 16384, 512},
      {"gtx1080", 6, 1, 8872.96, 49152, 1024},
      {"h200", 9, 0, 66908.16, 49152, 1024},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.id);
    const GpuProfile gpu = gpu_profile(c.id);
    EXPECT_EQ(gpu.compute_major, c.major);
    EXPECT_EQ(gpu.compute_minor, c.minor);
    EXPECT_NEAR(gpu.peak_fp32_gflops(), c.peak_gflops, 0.01);
    EXPECT_EQ(gpu.default_shared_bytes_per_block(), c.default_shared);
    EXPECT_EQ(gpu.threads_per_block, c.threads_per_block);
  }
}

TEST(GpuProfile, NamesTheKnownOnesWhenAskedForAnother) {
  EXPECT_THAT([] { gpu_profile("gtx9999"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("known are a100, gt240, gtx1080")));
}

class CardFile : public ::testing::Test {
 protected:
  ~CardFile() override { std::filesystem::remove(file_); }

  /// A file with one card: a GTX 1080 called "mine", with `changes` to its keys. A null removes a
  /// key.
  static std::string with(const nlohmann::json& changes) {
    nlohmann::json fields = card_document(gpu_profile("gtx1080")).at("gtx1080");
    fields.merge_patch(changes);
    return nlohmann::json{{"mine", fields}}.dump();
  }

  std::string file_of(const std::string& text) const {
    std::ofstream(file_) << text;
    return file_;
  }

 private:
  std::filesystem::path file_ = std::filesystem::temp_directory_path() /
                                ("tilewise_gpus_" + std::to_string(::getpid()) + ".json");
};

TEST_F(CardFile, DescribesACardThatTheCourseDoesNotHave) {
  const GpuProfile card =
      gpu_profile(file_of(with({{"name", "Mine"}, {"sms", 84}, {"clock_mhz", 1410.5}})));
  EXPECT_EQ(card.id, "mine");
  EXPECT_EQ(card.name, "Mine");
  EXPECT_EQ(card.sms, 84);
  EXPECT_EQ(card.clock_mhz, 1410.5);
  EXPECT_EQ(card.compute_minor, 1);
  EXPECT_EQ(card.l2_bytes, gpu_profile("gtx1080").l2_bytes);
  EXPECT_EQ(gpu_profile(file_of(with({{"fp64_lanes_per_sm", nullptr}}))).fp64_lanes_per_sm, 0);
  EXPECT_FALSE(is_of_the_course(card));
  EXPECT_EQ(card_document(gpu_profiles_in(card_document(card)).front()), card_document(card));
}

TEST_F(CardFile, NamesWhatIsWrongInIt) {
  const std::string gtx1080 = card_document(gpu_profile("gtx1080")).dump();
  // It ends with two closing braces, the card's and the file's.
  const std::string fields = gtx1080.substr(gtx1080.find('{', 1));
  const struct {
    std::string text;
    const char* complaint;
  } cases[] = {
      {with({{"sms", nullptr}, {"banks", nullptr}}), "missing: sms, banks"},
      {with({{"name", nullptr}}), "profile \"mine\": missing: name"},
      {with({{"cores", 2560}, {"L2", 1}}), "unknown: \"L2\", \"cores\""},
      {with({{"sms", nullptr}, {"SMs", 20}}), "missing: sms; unknown: \"SMs\""},
      {with({{"sms", "many"}}), "sms is \"many\", expected a whole number"},
      {with({{"sms", 0}}), "sms is 0, expected a whole number from 1 to"},
      {with({{"sms", 20.5}}), "sms is 20.5, expected a whole number"},
      {with({{"clock_mhz", -1}}), "clock_mhz is -1, expected a number from 1"},
      {with({{"l2_bytes", 1e30}}), "l2_bytes is 1e+30"},
      {with({{"threads_per_block", 2048}}), "from 1 to 1024"},
      {with({{"dram_partitions", 6}}), "dram_partitions is 6, expected a whole number from 8 to 8"},
      {with({{"compute_capability", "six"}}), "not MAJOR.MINOR"},
      {with({{"compute_capability", "6.1x"}}), "not MAJOR.MINOR"},
      {with({{"compute_capability", 6.1}}), "compute_capability"},
      {"{\"a b\": " + fields, "letters, digits"},
      {gtx1080.substr(0, gtx1080.size() - 1) + ", \"x\": " + fields, "has 2 cards"},
      {R"({"_comment": "none"})", "has 0 cards"},
      {gtx1080, "gtx1080 is a card of the course's own"},
      {R"({"x": 17})", "no object of a card's figures"},
      {"[]", "no object of cards"},
      {"{", "parse error"},
  };
  for (const auto& [text, complaint] : cases) {
    const std::string file = file_of(text);
    EXPECT_THAT([&] { gpu_profile(file); },
                ThrowsMessage<std::runtime_error>(AllOf(HasSubstr(file), HasSubstr(complaint))));
  }
  EXPECT_THAT([&] { gpu_profile("/no/such/card.json"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("cannot read")));
}

}  // namespace
}  // namespace tilewise::core
