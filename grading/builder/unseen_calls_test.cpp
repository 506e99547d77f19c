#include "grading/builder/unseen_calls.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace tilewise::grading {
namespace {

/// Reads a function of a dump: its variables, and one statement.
std::vector<UnseenCall> calls_of(const std::string& statement) {
  return unseen_calls_in(
      "\n;; Function k<f8> (_Z1k2f8, funcdef_no=17, decl_uid=2648, cgraph_uid=16)\n\n"
      "float k (struct f8 a, int n)\n{\n  struct f8 t;\n  struct f8 loc[3];\n  struct f8 "
      "D.2808;\n\n"
      "  <bb 2> [local count: 1073741824]:\n  " +
      statement + "\n  return;\n}\n");
}

TEST(UnseenCalls, AreThoseWithStructuresInMemory) {
  for (const char* statement :
       {"[labs/x.cu:9:37] [labs/x.cu:9:29] *_1 = mk<f8> (x_4(D));",
        "[labs/x.cu:9:37 discrim 2] *p_1(D) = mknt (3.0e+0); [return slot optimization]",
        "[labs/x.cu:9:3] _4 = sum ([labs/x.cu:16:53] w_2(D)->in);",
        "[labs/x.cu:9:3] _4 = sum ([labs/x.cu:16:53] MEM[(const struct f8 &)p_2(D)]);",
        "[labs/x.cu:9:3] _4 = sum (MEM <struct f8> [(struct f8 *)p_2(D)]);",
        "[labs/x.cu:9:3] <retval> = OBJ_TYPE_REF(_2;(const struct B)b_5(D)->0B) (b_5(D), *_3);",
        "[labs/x.cu:9:3] p_3(D)->in = f_2(D) (1);", "[labs/x.cu:9:3] _5 = sum ((*s_2(D))[i_3(D)]);",
        "[labs/x.cu:9:3] f::<lambda(f8)>::operator() (&D.1, *_3);",
        "[labs/x.cu:9:3] _4 = sum (table[i_2(D)]);", "[labs/x.cu:9:3] table[i_2(D)] = mk<f8> (1);",
        "[labs/x.cu:9:3] _4 = sum (all.first);",
        "[labs/x.cu:9:3] _3 = __atomic_load_4 (p_2(D), 77);",
        "[labs/x.cu:9:3] __sync_lock_release_4 (p_2(D));"}) {
    const std::vector<UnseenCall> calls = calls_of(statement);
    ASSERT_EQ(calls.size(), 1u) << statement;
    EXPECT_EQ(calls.front().function, "_Z1k2f8");
    EXPECT_EQ(calls.front().file, "labs/x.cu");
    EXPECT_EQ(calls.front().line, 9);
    EXPECT_EQ(from_text(to_text(calls)).front().callee, calls.front().callee);
  }
}

TEST(UnseenCalls, AreNoneOfValuesAddressesAndVariables) {
  for (const char* statement : {"t = mk<f8> (x_2(D)); [return slot optimization]",
                                "_5 = sum (t);",
                                "_5 = sum (a);",
                                "loc[1] = mk<f8> (2.0e+0);",
                                "_4 = sum (loc[1]);",
                                "_4 = sum (D.2808, 1, -3, n_3(D));",
                                "*p_1(D) = *q_2(D);",
                                "_3 = enter_shared (shared_slot<k>.3_7);",
                                "call (helper, 1);",
                                "_3 = MEM[(float *)p_1(D)];",
                                "_3 = (float) x_2(D);",
                                "__tsan_write4 (&p_1(D)->v[0]);",
                                "f (&*p_1, \"a -> (*b)\");",
                                "_7 = sum (MEM[(struct f8 *)&t]);",
                                "if (_3 != 0)",
                                "_3 = .FMA (_1, _2, _4);",
                                "<retval> = sum (_1);",
                                "printf (\"%d\\n\", _3);",
                                "goto <bb 4>; [11.00%]",
                                "_3 = apply (_1, change, 2);",
                                "_3 = sum (D.2808.part);",
                                "_5 = f (threadIdx.x);"}) {
    // A name alone may be that of a function, which the object decides.
    for (const UnseenCall& call : calls_of(statement)) EXPECT_NE(call.operand, "") << statement;
  }
}

TEST(UnseenCalls, MayBeThoseWithAVariableAsAWhole) {
  for (const char* statement :
       {"[labs/x.cu:9:3] _4 = sum (one);", "[labs/x.cu:9:3] one = mk (1);"}) {
    const std::vector<UnseenCall> calls = calls_of(statement);
    ASSERT_EQ(calls.size(), 1u) << statement;
    EXPECT_EQ(calls.front().operand, "one");
    EXPECT_EQ(from_text(to_text(calls)).front().operand, "one");
  }
}

/// Types as the compiler would note them for a kernel.
KernelTypes example_types() {
  KernelTypes types;
  types.add("W<float, 4>", 16);
  types.add("Huge", 1 << 22);
  types.add("Twice<float, 2>", 8);
  types.add("Twice", 1 << 20);  // in another namespace
  types.add("", 32);
  types.add("pair", 16);
  types.add_unsized_member("rest");
  return types;
}

/// Counts the accesses in a function of the dump as the sanitizer has just left it.
std::size_t unbounded_accesses(const std::string& statement) {
  return unbounded_accesses_in(
             "\n;; Function k (_Z1kPKf, funcdef_no=17, decl_uid=2648)\n\nfloat k (const float * "
             "A)\n{\n  float local[2];\n  float none[0:18446744073709551615];\n  "
             "int grid[3][0:18446744073709551615];\n\n"
             "  <bb 2> [local count: 1073741824]:\n  [x.cu:9:3] " +
                 statement + "\n}\n",
             example_types())
      .size();
}

TEST(UnboundedAccesses, AreThoseWhoseIndexMayLeadAnywhere) {
  for (const char* statement :
       {"_3 = [x.cu:10:27] MEM[(const float[1099511627776] &)[x.cu:7:58] &local][_15];",
        "_3 = MEM[(struct Huge &)[x.cu:16:37] &local].v[_15];",
        "_3 = MEM <struct Huge> [(float &)&local].v[_1];",
        "_3 = MEM[(struct Twice &)&local].v[i_2];", "_3 = MEM[(struct Unknown &)&local].v[i_2];",
        "_3 = MEM[(const struct W[4097] &)&local][i_2].v[j_3];",
        "_3 = MEM[(struct Huge[2] &)&local][i_2].v[0];",
        "_3 = MEM[(const myfloat[4096] &)&local][i_2];",
        "_3 = MEM[(vector(16) float[4096] &)&local][i_2];",
        "_3 = MEM[(__int128[4096] &)&local][i_2];",
        "MEM <float[65536]> [(float *)&local][i_2] = _3;", "_3 = MEM[(Rows &)&local][i_2][1];",
        "_3 = MEM[(const float[64][65] &)&local][i_2][j_3];",
        "_3 = MEM[(float[0:18446744073709551615] &)&local][i_2];",
        "_3 = MEM[(float[] &)&local][i_2];", "_3 = MEM[(float *)&local + 400000B];",
        "_3 = MEM[(float *)&local + 18446744073709551600B];",
        "_3 = MEM[(struct W &)&local + 65532B].v[i_2];",
        // Arrays without elements, in which no index is checked.
        "_3 = none[i_2];", "_3 = grid[1][i_2];", "none[5] = _3;", "_3 = object.rest[i_2];",
        "_3 = D.2985.in[1].rest[i_2(D)];", "_3 = MEM[(struct W &)&local].rest[i_2];",
        "_3 = MEM <struct W> [(float &)&local].in[2].rest[i_2];"}) {
    EXPECT_EQ(unbounded_accesses(statement), 1u) << statement;
  }
}

TEST(UnboundedAccesses, AreNotThoseThatABoundIsCheckedOf) {
  for (const char* statement :
       {"_3 = local[i_2];", "_3 = acc[i_2][j_3];", "_3 = MEM[(float *)A_2(D)];",
        "_18 = [array:61:36] MEM <const float[8]> [(value_type &)[x.cu:27:53] &arr][_17];",
        "_3 = MEM[(float[16] &)&acc][_39];", "_3 = MEM[(const unsigned int[4096] &)&acc][_39];",
        "_3 = MEM[(struct V *)&local].y;",
        "MEM <vector(2) float> [(float *)&local] = { 0.0, 0.0 };",
        "_3 = MEM[(float *)_2 + 4000000B];",
        // A class with an operator[] that the compiler inlines.
        "_3 = MEM <struct W> [(float &)&local].v[_1];", "MEM[(struct W &)&local].v[i_2] = _3;",
        "_3 = MEM[(const struct W[2] &)&local][i_2].v[j_3];",
        "_3 = MEM <struct ._anon_69> [(float &)&local].v[_1];",
        "_3 = MEM <struct __lambda3> [(float &)&local].__x[_1];",
        "_3 = MEM[(union pair &)&local].e[_1];",
        // Accesses by pointers report themselves.
        "_3 = p_1(D)->rest[i_2];", "_3 = p_1->in[2].rest[i_2];", "_3 = (*p_1).rest[i_2];",
        "_3 = MEM[(struct W *)p_1].rest[i_2];", "_3 = MEM <struct W> [(float *)p_1].rest[i_2];"}) {
    EXPECT_EQ(unbounded_accesses(statement), 0u) << statement;
  }
}

TEST(UnseenCalls, AreNoneOfAKernelsArguments) {
  const auto calls_in = [](const std::string& operand) {
    return unseen_calls_in(
        "\n;; Function run_thread<k<void (*)(int)> > (_ZN8tilewise4simt10run_threadIZ1kEEvPv, "
        "funcdef_no=17, decl_uid=2648)\n\nvoid run_thread<k<void (*)(int)> > (void * context)\n"
        "{\n  <bb 2> [local count: 1073741824]:\n"
        "  [x.hpp:3:1] _6 = context_2(D) + 16;\n  _7 = &MEM[(struct Call *)context_2(D)].view;\n"
        "  _8 = MEM[(float * *)context_2(D)];\n  [x.cu:3:1] k (" +
        operand + ");\n}\n");
  };
  EXPECT_EQ(calls_in("MEM[(const struct View &)_6]").size(), 0u);
  EXPECT_EQ(calls_in("*_7").size(), 0u);
  EXPECT_EQ(calls_in("MEM[(const struct View &)context_2(D) + 32]").size(), 0u);
  EXPECT_EQ(calls_in("MEM[(const struct View &)_8]").size(), 1u);
  EXPECT_EQ(calls_in("*_9").size(), 1u);
}

}  // namespace
}  // namespace tilewise::grading
