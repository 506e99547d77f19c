#include "grading/problem/input_choice.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "grading/problem/npy.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

std::string name_of(const std::filesystem::path& file) { return printable(file.string()); }

/// The order of a square matrix.
int order_in(const std::filesystem::path& file) {
  const NpyShape shape = read_npy_shape(file);
  if (shape.rows == shape.cols && shape.rows > 0) return shape.rows;
  throw std::runtime_error(fmt::format("{} holds a matrix of {} x {}; square ones are multiplied",
                                       name_of(file), shape.rows, shape.cols));
}

}  // namespace

InputChoice read_input_choice(const std::string& text, std::uint64_t seed) {
  InputChoice choice;
  choice.seed = seed;
  if (text == "random") return choice;
  if (text == "linear") {
    choice.kind = InputChoice::Kind::linear;
    return choice;
  }
  const std::size_t comma = text.find(',');
  if (comma == text.npos || comma == 0 || text.find(',', comma + 1) != text.npos ||
      comma + 1 == text.size()) {
    throw std::runtime_error(fmt::format(
        "--inputs '{}': there are random, linear, and two files with a comma between, A.npy,B.npy",
        printable(text)));
  }
  choice.kind = InputChoice::Kind::files;
  choice.A = text.substr(0, comma);
  choice.B = text.substr(comma + 1);
  choice.order = order_in(choice.A);
  if (const int other = order_in(choice.B); other != choice.order) {
    throw std::runtime_error(fmt::format("{} is of order {}, {} of order {}; they must agree",
                                         name_of(choice.A), choice.order, name_of(choice.B),
                                         other));
  }
  return choice;
}

std::string describe(const InputChoice& choice) {
  switch (choice.kind) {
    case InputChoice::Kind::random:
      return fmt::format("random, seed {}", choice.seed);
    case InputChoice::Kind::linear:
      return "linear";
    case InputChoice::Kind::files:
      return fmt::format("{}, {}", choice.A.string(), choice.B.string());
  }
  throw std::logic_error("no choice of inputs");
}

}  // namespace tilewise::grading
