# A verdict must not depend on the compiler of a kernel. If a compiler of the other kind than this
# build's is installed, some tests grade with it (docs/decisions/0031). TILEWISE_OTHER_CXX is empty
# if no suitable one is.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(other_kind clang)
  set(other_least 14)
  set(other_names clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14)
else()
  set(other_kind gnu)
  set(other_least 12)
  set(other_names g++ g++-14 g++-13 g++-12)
endif()

function(tilewise_validate_other_compiler result candidate)
  execute_process(COMMAND ${candidate} --version OUTPUT_VARIABLE words ERROR_QUIET)
  execute_process(COMMAND ${candidate} -dumpversion OUTPUT_VARIABLE version ERROR_QUIET)
  string(FIND "${words}" clang clang_at)
  if((other_kind STREQUAL clang AND clang_at EQUAL -1)
     OR (other_kind STREQUAL gnu AND NOT clang_at EQUAL -1)
     OR version VERSION_LESS other_least)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

find_program(TILEWISE_OTHER_CXX NAMES ${other_names} VALIDATOR tilewise_validate_other_compiler
             DOC "compiles kernels in tests of what another compiler makes of them")
if(NOT TILEWISE_OTHER_CXX)
  set(TILEWISE_OTHER_CXX "")
endif()
set(TILEWISE_OTHER_CXX_KIND ${other_kind})
