#include <gmock/gmock.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "common/simt/recorder/control_flow.hpp"

#if defined(__x86_64__)

namespace tilewise::simt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Bytes = std::vector<std::uint8_t>;

class MachineCodeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!read({0xc3})) GTEST_SKIP() << "built without Capstone, which reads machine code";
  }

  /// Reads the code, and makes its addresses start at 0.
  static std::optional<MachineCode> read(const Bytes& bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    auto code = read_machine_code(begin, begin + bytes.size());
    if (!code) return code;
    for (std::uintptr_t& block : code->blocks) block -= begin;
    for (MachineCode::Call& call : code->calls) {
      call.returns_to -= begin;
      if (call.target != 0) call.target -= begin;
    }
    return code;
  }
};

TEST_F(MachineCodeTest, TellsWhereBlocksLead) {
  const auto code = read({
      0x85, 0xff,                    // 0: test edi, edi
      0x74, 0x04,                    // 2: je 8
      0xff, 0xc8,                    // 4: dec eax
      0xeb, 0xf8,                    // 6: jmp 0
      0xff, 0xc0,                    // 8: inc eax
      0xbf, 0x17, 0xe4, 0x00, 0x00,  // 10: mov edi, loop_exit_mark
      0xe8, 0xf0, 0xff, 0xff, 0xff,  // 15: call 4
      0xff, 0xd0,                    // 20: call rax
      0xc3,                          // 22: ret
      0x90,                          // 23: nop
  });
  ASSERT_TRUE(code);
  EXPECT_THAT(code->blocks, ElementsAre(0, 4, 8, 10, 23));
  EXPECT_THAT(code->flow,
              ElementsAre(ElementsAre(2, 1), ElementsAre(0), ElementsAre(3), IsEmpty(), IsEmpty()));
  EXPECT_THAT(code->ends, ElementsAre(false, false, false, true, false));
  ASSERT_EQ(code->calls.size(), 2u);
  EXPECT_EQ(code->calls[0].returns_to, 20u);
  EXPECT_EQ(code->calls[0].target, 4u);
  EXPECT_EQ(code->calls[1].returns_to, 22u);
  EXPECT_EQ(code->calls[1].target, 0u);  // known only when it runs
}

TEST_F(MachineCodeTest, GivesUpWhereAJumpMayLeadAnywhere) {
  const struct {
    const char* what;
    Bytes code;
  } cases[] = {
      {"jmp rax", {0xff, 0xe0}},
      {"jmp to what is behind the function", {0xeb, 0x10, 0xc3}},
      {"je to what is before it", {0x74, 0xf0, 0xc3}},
      {"no instruction", {0x06, 0xc3}},
      {"an instruction cut off", {0xc3, 0xe8, 0x00}},
  };
  for (const auto& c : cases) EXPECT_FALSE(read(c.code)) << c.what;
}

}  // namespace
}  // namespace tilewise::simt

#endif
