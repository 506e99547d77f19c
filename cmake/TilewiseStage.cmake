# tilewise_stages(grading/stages)
#
# Adds every stage of the course to the build: each subfolder with a stage.json, which names the
# stage's functions. For each stage it compiles the binding that lets a worker call the functions by
# name, writes their contracts (contract.hpp, for graders and tools), and records its graders (the
# folder's *.cpp), which the stage's examiner is made of. The next build notices a folder that is
# added or removed. Target tilewise_modules_ID builds the files that a stage's submissions are
# linked with.
function(tilewise_stages folder)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*/stage.json)
  foreach(file IN LISTS files)
    tilewise_stage(${file})
  endforeach()
  get_property(includes GLOBAL PROPERTY TILEWISE_CONTRACT_INCLUDES)
  get_property(rows GLOBAL PROPERTY TILEWISE_CONTRACT_ROWS)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/stage_contracts.cpp.in
                 ${PROJECT_BINARY_DIR}/generated/stage_contracts.cpp @ONLY)
  add_library(tilewise_stage_contracts STATIC ${PROJECT_BINARY_DIR}/generated/stage_contracts.cpp)
  target_link_libraries(tilewise_stage_contracts PUBLIC tilewise_options tilewise_contract)
  target_include_directories(tilewise_stage_contracts PUBLIC ${PROJECT_BINARY_DIR}/generated)
endfunction()

function(tilewise_stage file)
  cmake_path(GET file PARENT_PATH drawer)
  cmake_path(GET drawer FILENAME id)
  tilewise_read_functions(${file} functions sources contracts)

  set(includes "")
  foreach(source IN LISTS sources)
    string(REGEX REPLACE "\\.cu$" ".hpp" header ${source})
    string(APPEND includes "#include \"labs/${id}/${header}\"\n")
  endforeach()
  list(TRANSFORM functions REPLACE "(.+)" "TILEWISE_BIND(\\1)" OUTPUT_VARIABLE binds)
  list(JOIN binds ", " binds)
  set(binding ${PROJECT_BINARY_DIR}/bindings/${id}.cpp)
  file(CONFIGURE OUTPUT ${binding} @ONLY
       CONTENT "@includes@#include \"grading/worker/binding.hpp\"\n\nTILEWISE_BINDINGS(@binds@)\n")
  add_custom_target(tilewise_modules_${id})
  if(TILEWISE_SIMT)
    tilewise_binding_object(${id} simt ${binding} ${PROJECT_SOURCE_DIR}/common/simt/include)
  endif()
  if(TILEWISE_HAVE_CUDA)
    tilewise_binding_object(${id} cuda ${binding} "${CUDAToolkit_INCLUDE_DIRS}")
  endif()

  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/grading/stages/${id}/contract.hpp @ONLY
       CONTENT [[
// Generated from grading/stages/@id@/stage.json.
#pragma once

#include "grading/course/contract.hpp"
@includes@
namespace tilewise::grading::contracts {

@contracts@}  // namespace tilewise::grading::contracts
]])

  if(TILEWISE_LABS_ARE_TESTS)
    add_test(NAME ${id} COMMAND tilewise grade ${id})
    set_tests_properties(${id} PROPERTIES LABELS labs)
  endif()

  set_property(GLOBAL APPEND PROPERTY TILEWISE_STAGE_IDS ${id})
  file(GLOB graders CONFIGURE_DEPENDS ${drawer}/*.cpp)
  set_property(GLOBAL PROPERTY TILEWISE_GRADERS_${id} ${graders})
  list(TRANSFORM functions REPLACE "(.+)" "contracts::\\1.info()" OUTPUT_VARIABLE contracts)
  list(JOIN contracts ", " contracts)
  set_property(GLOBAL APPEND_STRING PROPERTY TILEWISE_CONTRACT_INCLUDES
               "#include \"grading/stages/${id}/contract.hpp\"\n")
  set_property(GLOBAL APPEND_STRING PROPERTY TILEWISE_CONTRACT_ROWS
               "      {\"${id}\", {${contracts}}},\n")
endfunction()

# Reads the names of the functions in a stage.json, their source files, each once, and their
# contracts in C++.
function(tilewise_read_functions file functions_out sources_out contracts_out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(JSON count ERROR_VARIABLE error LENGTH "${text}" functions)
  if(error OR count EQUAL 0)
    message(FATAL_ERROR "${file}: 'functions' must be a list of one function or more. ${error}")
  endif()
  math(EXPR last "${count} - 1")
  foreach(index RANGE ${last})
    foreach(key name source parameters)
      string(JSON ${key} ERROR_VARIABLE error GET "${text}" functions ${index} ${key})
      if(error)
        message(FATAL_ERROR "${file}: function ${index} has no '${key}'. ${error}")
      endif()
    endforeach()
    list(APPEND functions ${name})
    list(APPEND sources ${source})
    string(JSON flop ERROR_VARIABLE is_none GET "${text}" functions ${index} flop)
    if(is_none)
      set(flop "")
    endif()
    # Without its brackets, JSON's list of strings is a list of arguments in C++.
    string(REGEX REPLACE "^\\[|\\]$" "" parameters "${parameters}")
    string(APPEND contracts "inline constexpr auto ${name} =\n"
                            "    CONTRACT(${name}, \"${flop}\",${parameters});\n\n")
  endforeach()
  list(REMOVE_DUPLICATES sources)
  set(${functions_out} ${functions} PARENT_SCOPE)
  set(${sources_out} ${sources} PARENT_SCOPE)
  set(${contracts_out} ${contracts} PARENT_SCOPE)
endfunction()

# The binding travels as a plain object file beside the executables, because a submission is linked
# with it long after this build, perhaps on another machine.
function(tilewise_binding_object id backend source include_directory)
  set(target tilewise_binding_${backend}_${id})
  add_library(${target} OBJECT ${source})
  target_compile_features(${target} PRIVATE cxx_std_17)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(${target} SYSTEM PRIVATE ${include_directory})
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden)
  set(object ${PROJECT_BINARY_DIR}/lib/bindings/${backend}/${id}.o)
  add_custom_command(OUTPUT ${object}
                     COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/lib/bindings/${backend}
                     COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_OBJECTS:${target}> ${object}
                     DEPENDS ${target} $<TARGET_OBJECTS:${target}> VERBATIM)
  add_custom_target(${target}_object ALL DEPENDS ${object})
  add_dependencies(tilewise_modules_${id} ${target}_object)
endfunction()
