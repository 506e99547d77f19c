#include "common/simt/runtime/module_variables.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tilewise::simt {
namespace {

TEST(ModuleVariables, AreNamedAsInTheSource) {
  const struct {
    const char* mangled;
    const char* name;
  } cases[] = {
      {"counter", "counter"},
      {"_ZL7counter", "counter"},
      {"_ZL7counter.0", "counter"},
      {"_ZN12_GLOBAL__N_17scratchE", "scratch"},
      {"_ZN1QILi8EE3bufE", "buf"},
      {"_Z2tvIiE", "tv"},
      {"_Z2tvISt6vectorIiSaIiEEE", "tv"},
      {"_ZZ6kerneliE5local", "local"},
      {"_ZGVZ6kerneliE5local", "local"},
      {"not_mangled::at_all", "at_all"},
  };
  for (const auto& expected : cases) {
    EXPECT_EQ(source_name(expected.mangled), expected.name) << expected.mangled;
  }
}

int of_this_program = 3;
thread_local int of_each_thread = 4;
const char for_reading[] = "this and that";

TEST(ModuleVariables, KnowWhatTheHostsAreCalled) {
  const auto code = reinterpret_cast<std::uintptr_t>(&source_name);
  ++of_this_program;
  ++of_each_thread;
  const ModuleVariables& variables = ModuleVariables::of(code);
  EXPECT_EQ(variables.host_variable_at(&of_this_program), "of_this_program");
  EXPECT_EQ(variables.host_variable_at(&of_each_thread), "of_each_thread");
  EXPECT_EQ(variables.host_variable_at(&code), "");
  EXPECT_EQ(variables.constant_bytes(), 0u);
}

TEST(ModuleVariables, TellWhatModulesHaveForReading) {
  EXPECT_TRUE(is_read_only_in_a_module(reinterpret_cast<std::uintptr_t>(for_reading)));
  EXPECT_FALSE(is_read_only_in_a_module(reinterpret_cast<std::uintptr_t>(&of_this_program)));
  int local = 0;
  EXPECT_FALSE(is_read_only_in_a_module(reinterpret_cast<std::uintptr_t>(&local)));
}

TEST(ModuleVariables, HavePlacesOfTheirOwn) {
  const auto address = reinterpret_cast<std::uintptr_t>(&of_this_program);
  const ModuleVariables& variables =
      ModuleVariables::of(reinterpret_cast<std::uintptr_t>(&source_name));
  ASSERT_TRUE(variables.is_variable_memory(address));
  const Place place = variables.place_of(address);
  EXPECT_FALSE(variables.is_constant(place));
  EXPECT_EQ(variables.memory_of(place), reinterpret_cast<const std::byte*>(address));
  const Place constant = place + static_cast<Place>(variables.bytes());
  EXPECT_TRUE(variables.is_constant(constant));
  EXPECT_EQ(variables.memory_of(constant), reinterpret_cast<const std::byte*>(address));
}

}  // namespace
}  // namespace tilewise::simt
