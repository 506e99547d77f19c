#include "common/simt/runtime/names.hpp"

#include <gtest/gtest.h>

namespace tilewise::simt {
namespace {

constexpr Place at_as = shared_place + 1024, at_bs = shared_place + 4096;

/// The arrays float As[4][16] and float4 Bs[8], and dynamic shared memory of 64 doubles called s.
SharedNames example() {
  SharedNames names;
  names.add(at_bs, "Bs", "float4", 16, 16, {8});
  names.add(at_as, "As", "float", 4, 16, {4, 16});
  names.add(shared_place, "s", "double", 8, 8, {});
  names.set_dynamic_bytes(512);
  return names;
}

TEST(SharedNames, NameElements) {
  const struct {
    Place place;
    const char* name;
  } cases[] = {
      {at_as, "As[0][0]"},
      {at_as + 4 * 37, "As[2][5]"},
      {at_as + 4 * 37 + 3, "As[2][5]"},
      {at_bs + 16 * 7 + 12, "Bs[7]"},
      {shared_place + 8 * 63, "s[63]"},
      {at_as + 4 * 64, "byte 1280 of the block's shared memory"},
  };
  for (const auto& c : cases) EXPECT_EQ(example().element(c.place), c.name);
}

TEST(SharedNames, NameAnElementByTheIndexThatWasOutOfBounds) {
  const struct {
    const char* type;
    std::int64_t index;
    int element;  ///< element of the array that the access went to
    Place array;
    const char *name, *declaration;
  } cases[] = {
      {"float [16]", 17, 3 * 16 + 17, at_as, "As[3][17]", "float As[4][16]"},
      {"float [16]", -1, 2 * 16 - 1, at_as, "As[2][-1]", "float As[4][16]"},
      {"float [4][16]", 4, 4 * 16 + 5, at_as, "As[4][5]", "float As[4][16]"},
      {"float [4][16]", -2, -2 * 16 + 5, at_as, "As[-2][5]", "float As[4][16]"},
      {"float4 [8]", 8, 8, at_bs, "Bs[8]", "float4 Bs[8]"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const int bytes = c.array == at_bs ? 16 : 4;
    const auto place = static_cast<Place>(static_cast<std::int64_t>(c.array) + c.element * bytes);
    const auto named = example().name({c.type, c.index, "k.cu", 1}, place);
    ASSERT_TRUE(named);
    EXPECT_EQ(named->element, c.name);
    EXPECT_EQ(named->array, c.declaration);
  }
}

TEST(SharedNames, DoNotNameWhatIsNoSharedArray) {
  EXPECT_FALSE(example().name({"int [16]", 17, "k.cu", 1}, at_as));
  EXPECT_FALSE(example().name({"float [16]", 17, "k.cu", 1}, at_as + 1024));
}

TEST(SharedNames, NameAPlaceOutsideByTheNearestArray) {
  EXPECT_EQ(example().name_outside(at_as + 4 * 64)->element, "As[4][0]");
  EXPECT_EQ(example().name_outside(at_bs - 16)->element, "Bs[-1]");
  EXPECT_EQ(example().name_outside(shared_place + 512)->element, "s[64]");
  EXPECT_EQ(example().name_outside(shared_place + 512)->array, "double s[64]");
}

TEST(SharedNames, KnowTheAlignmentThatADeclarationSays) {
  SharedNames names = example();
  EXPECT_EQ(names.known_alignment(shared_place + 64), 8u);
  EXPECT_EQ(names.known_alignment(at_as), 16u);
  names.add(shared_place, "tile", "float", 4, 128, {});
  EXPECT_EQ(names.known_alignment(shared_place + 64), 16u);
}

TEST(SharedNames, ForgetWhatStartedAtTheSamePlace) {
  SharedNames names = example();
  names.add(shared_place, "tile", "float", 4, 4, {});
  EXPECT_EQ(names.element(shared_place + 8), "tile[2]");
}

}  // namespace
}  // namespace tilewise::simt
