# tilewise_stage(03_shared_memory SOURCES matmul_shared.cu FUNCTIONS matmul_shared)
#
# All it takes to add a stage to the build: registers it for the tools, compiles the binding that
# lets a worker call its functions by name, and adds its grader to the examiner and its contracts
# (grading/stages/ID_contract.hpp) to `lab profile`. Call it in grading/stages/CMakeLists.txt; finish
# with tilewise_finish_stages(). GRADERS: the grader's files where they are not ID.cpp.
function(tilewise_stage id)
  cmake_parse_arguments(arg "" "" "SOURCES;FUNCTIONS;GRADERS" ${ARGN})

  set(includes "")
  foreach(source IN LISTS arg_SOURCES)
    string(REGEX REPLACE "\\.cu$" ".hpp" header ${source})
    string(APPEND includes "#include \"labs/${id}/${header}\"\n")
  endforeach()
  list(TRANSFORM arg_FUNCTIONS REPLACE "(.+)" "TILEWISE_BIND(\\1)" OUTPUT_VARIABLE binds)
  list(JOIN binds ", " binds)
  set(binding ${PROJECT_BINARY_DIR}/bindings/${id}.cpp)
  file(CONFIGURE OUTPUT ${binding} @ONLY
       CONTENT "@includes@#include \"grading/worker/binding.hpp\"\n\nTILEWISE_BINDINGS(@binds@)\n")
  if(TILEWISE_SIMT)
    tilewise_binding_object(${id} simt ${binding} ${PROJECT_SOURCE_DIR}/common/simt/include)
  endif()
  if(TILEWISE_HAVE_CUDA)
    tilewise_binding_object(${id} cuda ${binding} "${CUDAToolkit_INCLUDE_DIRS}")
  endif()

  set_property(GLOBAL APPEND PROPERTY TILEWISE_STAGE_IDS ${id})
  list(TRANSFORM arg_SOURCES REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE sources)
  list(TRANSFORM arg_FUNCTIONS REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE functions)
  list(JOIN sources ", " sources)
  list(JOIN functions ", " functions)
  set_property(GLOBAL APPEND_STRING PROPERTY TILEWISE_STAGE_ROWS
               "      {\"${id}\", {${sources}}, {${functions}}},\n")
  if(NOT arg_GRADERS)
    set(arg_GRADERS ${id}.cpp)
  endif()
  list(TRANSFORM arg_GRADERS PREPEND ${PROJECT_SOURCE_DIR}/grading/stages/)
  set_property(GLOBAL APPEND PROPERTY TILEWISE_GRADERS ${arg_GRADERS})
  list(TRANSFORM arg_FUNCTIONS REPLACE "(.+)" "contracts::\\1.info()" OUTPUT_VARIABLE contracts)
  list(JOIN contracts ", " contracts)
  set_property(GLOBAL APPEND_STRING PROPERTY TILEWISE_CONTRACT_INCLUDES
               "#include \"grading/stages/${id}_contract.hpp\"\n")
  set_property(GLOBAL APPEND_STRING PROPERTY TILEWISE_CONTRACT_ROWS
               "      {\"${id}\", {${contracts}}},\n")
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
endfunction()

# Writes tilewise_stages.hpp, the table of stages for the tools, and the table of their contracts.
function(tilewise_finish_stages)
  get_property(rows GLOBAL PROPERTY TILEWISE_STAGE_ROWS)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/tilewise_stages.hpp.in
                 ${PROJECT_BINARY_DIR}/generated/tilewise_stages.hpp @ONLY)
  add_library(tilewise_stages INTERFACE)
  target_include_directories(tilewise_stages INTERFACE ${PROJECT_BINARY_DIR}/generated)

  get_property(includes GLOBAL PROPERTY TILEWISE_CONTRACT_INCLUDES)
  get_property(rows GLOBAL PROPERTY TILEWISE_CONTRACT_ROWS)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/stage_contracts.cpp.in
                 ${PROJECT_BINARY_DIR}/generated/stage_contracts.cpp @ONLY)
  add_library(tilewise_stage_contracts STATIC ${PROJECT_BINARY_DIR}/generated/stage_contracts.cpp)
  target_link_libraries(tilewise_stage_contracts PUBLIC tilewise_options tilewise_contract)
endfunction()
