#include <gtest/gtest.h>

#include <string>

#include "grading/worker/protocol.hpp"

namespace tilewise::grading {
namespace {

TEST(FrameReader, ReturnsMessagesHoweverTheyArrive) {
  const std::string sent = frame("first") + frame("") + frame(std::string(300, 'x'));
  for (std::size_t piece = 1; piece <= sent.size(); ++piece) {
    FrameReader reader;
    std::string received;
    for (std::size_t at = 0; at < sent.size(); at += piece) {
      reader.append(std::string_view(sent).substr(at, piece));
      while (const auto message = reader.next()) received += "[" + *message + "]";
    }
    EXPECT_EQ(received, "[first][][" + std::string(300, 'x') + "]") << "pieces of " << piece;
    EXPECT_FALSE(reader.garbled());
  }
}

TEST(FrameReader, KnowsAMessageFromGarbage) {
  FrameReader longest;
  longest.append(frame(std::string(max_message_bytes, 'x')));
  EXPECT_FALSE(longest.garbled());
  EXPECT_TRUE(longest.next().has_value());

  FrameReader garbage;
  garbage.append("garbage");
  EXPECT_TRUE(garbage.garbled());
  EXPECT_FALSE(garbage.next().has_value());
}

}  // namespace
}  // namespace tilewise::grading
