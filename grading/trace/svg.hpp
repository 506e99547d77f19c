#pragma once

#include <string>
#include <string_view>

#include "grading/trace/html.hpp"

namespace tilewise::grading {

/// A drawing in units of pixels, grown by its parts. Colours are words of the style sheet that each
/// drawing brings along, for light and for dark pages: "ink", "soft", "line", "cell", "other",
/// "bad", "t0" to "t3" for threads, "p0" to "p7" for partitions.
class Svg {
 public:
  void rect(int x, int y, int width, int height, std::string_view fill, std::string_view more = "");
  void frame(int x, int y, int width, int height, std::string_view stroke, int stroke_width = 1);
  void dot(double x, double y, double radius, std::string_view fill);
  /// @param style  classes: "big", "small", "mono", "mid" (centred), "end", "soft", "bad", "bold"
  void text(int x, int y, std::string_view style, std::string_view words);
  void line(int x1, int y1, int x2, int y2, std::string_view stroke);

  /// The whole, with a title for those who cannot see it.
  std::string finish(std::string_view title) const;

 private:
  void reach(int x, int y);

  Html parts_;
  int width_ = 0;
  int height_ = 0;
};

}  // namespace tilewise::grading
