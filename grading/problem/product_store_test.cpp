#include "grading/problem/product_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "common/process/sandbox.hpp"

namespace tilewise::grading {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(InputChoice, ReadsTheThreeKinds) {
  const ScratchDirectory scratch;
  const std::string A = scratch.path() / "A.npy", B = scratch.path() / "B.npy";
  write_npy(A, Matrix<float>(3, 3));
  write_npy(B, Matrix<double>(3, 3));
  EXPECT_EQ(describe(read_input_choice("random", 17)), "random, seed 17");
  EXPECT_EQ(describe(read_input_choice("linear", 17)), "linear");
  const InputChoice files = read_input_choice(A + "," + B, 17);
  EXPECT_EQ(files.order, 3);
  EXPECT_EQ(describe(files), A + ", " + B);
}

TEST(InputChoice, SaysWhatIsWrong) {
  const ScratchDirectory scratch;
  const auto file = [&](const char* name, int rows, int cols) {
    const std::string path = scratch.path() / name;
    write_npy(path, Matrix<float>(rows, cols));
    return path;
  };
  const std::string three = file("three.npy", 3, 3), four = file("four.npy", 4, 4);
  const std::string flat = file("flat.npy", 3, 4), empty = file("empty.npy", 0, 0);
  const struct {
    std::string text;
    const char* message;
  } wrong[] = {
      {"", "there are random, linear, and two files"},
      {"zeros", "--inputs 'zeros': there are"},
      {"A.npy,", "there are"},
      {",B.npy", "there are"},
      {three + "," + three + "," + three, "there are"},
      {three + ",none.npy", "cannot read none.npy"},
      {three + "," + four, "is of order 3"},
      {flat + "," + three, "holds a matrix of 3 x 4; square ones are multiplied"},
      {empty + "," + empty, "a matrix of 0 x 0"},
  };
  for (const auto& [text, message] : wrong) {
    EXPECT_THAT([&text = text] { read_input_choice(text, 0); },
                ThrowsMessage<std::runtime_error>(HasSubstr(message)))
        << text;
  }
}

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr int n = 20;

class ProductStoreTest : public testing::Test {
 protected:
  ProductStore store() const { return {read_input_choice("random", 17), folder()}; }
  fs::path folder() const { return scratch_.path(); }
  fs::path file(const std::string& what) const {
    return folder() / ("random-seed17-float32-n20-" + what + ".npy");
  }

 private:
  ScratchDirectory scratch_;
};

TEST_F(ProductStoreTest, GivesTheSameAgain) {
  const auto made = store().get<float>(n);
  for (const char* what : {"A", "B", "product", "magnitude"}) {
    EXPECT_TRUE(fs::exists(file(what))) << what;
  }
  const auto read = store().get<float>(n);
  EXPECT_EQ(read.A.values, made.A.values);
  EXPECT_EQ(read.B.values, made.B.values);
  EXPECT_EQ(read.reference.product.values, made.reference.product.values);
  EXPECT_EQ(read.reference.magnitude.values, made.reference.magnitude.values);
  EXPECT_EQ(read.reference.rows, made.reference.rows);
  EXPECT_EQ(read.reference.summation_length, made.reference.summation_length);
}

TEST_F(ProductStoreTest, ReadsTheProductRatherThanComputeIt) {
  const auto made = store().get<float>(n);
  // The change is smaller than rounding could cause, but the number is not the one that would be
  // computed.
  Matrix<double> marked = made.reference.product;
  marked(0, 0) = std::nextafter(marked(0, 0), 1e9);
  write_npy(file("product"), marked);
  EXPECT_EQ(store().get<float>(n).reference.product(0, 0), marked(0, 0));
}

TEST_F(ProductStoreTest, NamesEachChoiceDifferently) {
  store().get<float>(n);
  const auto other = ProductStore(read_input_choice("random", 18), folder()).get<float>(n);
  const auto doubles = store().get<double>(n);
  EXPECT_NE(other.A.values, store().get<float>(n).A.values);
  EXPECT_NE(doubles.A(0, 0), store().get<float>(n).A(0, 0));
  EXPECT_EQ(store().get<float>(n + 1).A.rows, n + 1);
}

TEST_F(ProductStoreTest, FindsDamage) {
  const auto change = [&](const std::string& what, double value) {
    Matrix<double> matrix = read_npy<double>(file(what));
    matrix(7, 3) = value;
    write_npy(file(what), matrix);
  };
  const auto change_input = [&](const std::string& what) {
    Matrix<float> matrix = read_npy<float>(file(what));
    matrix(7, 3) += 1e-3f;
    write_npy(file(what), matrix);
  };
  const struct {
    const char* what;
    std::function<void()> damage;
    const char* message;
  } cases[] = {
      {"an element", [&] { change("product", 1e-3); }, "is not the product of its matrices"},
      {"NaN", [&] { change("product", std::nan("")); }, "is not the product"},
      {"a magnitude", [&] { change("magnitude", 1e9); }, "is not the product"},
      {"A", [&] { change_input("A"); }, "is not the product"},
      {"B", [&] { change_input("B"); }, "is not the product"},
      {"a shape", [&] { write_npy(file("product"), Matrix<double>(n, n + 1)); },
       "20 x 21 rather than 20 x 20; remove it"},
      {"a shape of A", [&] { write_npy(file("A"), Matrix<float>(1, 1)); }, "1 x 1 rather than"},
      {"a file cut short", [&] { fs::resize_file(file("B"), 500); }, "it has 500 bytes"},
  };
  for (const auto& [what, damage, message] : cases) {
    for (const auto& entry : fs::directory_iterator(folder())) fs::remove(entry);
    store().get<float>(n);
    damage();
    EXPECT_THAT([&] { store().get<float>(n); },
                ThrowsMessage<std::runtime_error>(AllOf(HasSubstr(".npy"), HasSubstr(message))))
        << what;
  }
}

TEST(ProductInputsTest, CountUpAndDown) {
  const auto inputs = ProductStore(read_input_choice("linear", 0), "").get<float>(3);
  EXPECT_EQ(inputs.A.values, (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(inputs.B.values, (std::vector<float>{8, 7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(inputs.reference.product(0, 0), 0 * 8 + 1 * 5 + 2 * 2);
}

TEST(ProductInputsTest, ComeFromFiles) {
  const ScratchDirectory scratch;
  const std::string A = scratch.path() / "A.npy", B = scratch.path() / "B.npy";
  Matrix<double> matrix(2, 2);
  matrix.values = {1, 2, 3, 0.1};
  write_npy(A, matrix);
  write_npy(B, matrix);
  const auto inputs = ProductStore(read_input_choice(A + "," + B, 0), "").get<float>(2);
  EXPECT_EQ(inputs.A(1, 1), 0.1f);
  EXPECT_EQ(inputs.reference.product(1, 1), 3.0 * 2 + double(0.1f) * 0.1f);
}

}  // namespace
}  // namespace tilewise::grading
