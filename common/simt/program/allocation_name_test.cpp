#include "common/simt/program/allocation_name.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tilewise::program {
namespace {

struct Case {
  std::string what, words, name;
};

class AllocationName : public testing::TestWithParam<Case> {};

TEST_P(AllocationName, IsTheVariableThatHoldsIt) {
  EXPECT_EQ(allocation_name(GetParam().words), GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, AllocationName,
    testing::Values(Case{"AVariable", "&d_A, n * sizeof(float)", "d_A"},
                    Case{"ACast", "(void**)&d_A, n * sizeof(float)", "d_A"},
                    Case{"ASpacedCast", "(void **) &d_A, bytes", "d_A"},
                    Case{"AStaticCast", "reinterpret_cast<void**>(&d_A), bytes", "d_A"},
                    Case{"ACastToATemplate", "reinterpret_cast<pair<a, b>**>(&d_A), bytes", "d_A"},
                    Case{"AMember", "&matrix.rows, bytes", "matrix.rows"},
                    Case{"AMemberByPointer", "&matrix->rows, bytes", "matrix->rows"},
                    Case{"AnElement", "&parts[i + 1], bytes", "parts[i + 1]"},
                    Case{"AnElementOfAMember", "(void**)&(this->part[i].x), bytes",
                         "this->part[i].x"},
                    Case{"WhatAPointerLeadsTo", "out, bytes", "*out"},
                    Case{"Brackets", "(&d_A), bytes", "d_A"},
                    Case{"ACall", "address_of(\"A\"), bytes", ""}, Case{"Nothing", "", ""}),
    [](const auto& info) { return info.param.what; });

}  // namespace
}  // namespace tilewise::program
