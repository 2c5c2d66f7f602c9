# basalt_library(<folder> [LINKS <folders…>] [EXTERNAL <targets…>] [PCH <headers…>] [BELOW <name>])
#
# Makes the static library basalt_<folder> from src/<folder>/**/*.cc, and the test executable <folder>_test from
# src/<folder>/**/*_test.cc. A folder without sources is only an arrow: it passes its links on.
# PCH pays for headers that take about a second to parse; tests of such a folder share one with <boost/json.hpp>. Only
# gcc uses it: clang compiles without, and so finds the include that a file forgot.
# BELOW: what is in folders below src/<folder> is a library of its own, basalt_<name>: who needs only the top builds no
# more.
function(basalt_library folder)
  cmake_parse_arguments(ARG "" "BELOW" "LINKS;EXTERNAL;PCH" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.cc)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.h)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  if(ARG_BELOW)
    set(below ${sources})
    list(FILTER below INCLUDE REGEX "/src/${folder}/.*/")
    list(FILTER sources EXCLUDE REGEX "/src/${folder}/.*/")
  endif()

  set(library basalt_${folder})
  set(scope PUBLIC)
  if(sources)
    add_library(${library} STATIC ${sources})
  else()
    add_library(${library} INTERFACE)
    set(scope INTERFACE)
  endif()
  list(TRANSFORM ARG_LINKS PREPEND basalt_)
  target_link_libraries(${library} ${scope} basalt_options basalt_instruments ${ARG_LINKS} ${ARG_EXTERNAL})
  if(sources)
    basalt_precompile(${library} ${ARG_PCH})
  endif()
  set(all ${library})
  if(ARG_BELOW)
    add_library(basalt_${ARG_BELOW} STATIC ${below})
    target_link_libraries(basalt_${ARG_BELOW} PUBLIC ${library})
    basalt_precompile(basalt_${ARG_BELOW} ${ARG_PCH})
    list(APPEND all basalt_${ARG_BELOW})
  endif()
  set_property(GLOBAL APPEND PROPERTY BASALT_LIBRARIES ${all})
  set_property(GLOBAL APPEND PROPERTY BASALT_HEADERS ${headers})

  if(tests AND BASALT_TESTS)
    set(json)
    if(ARG_PCH)
      set(json JSON)
    endif()
    basalt_test(${folder}_test SOURCES ${tests} LINKS ${all} ${json})
  endif()
endfunction()

function(basalt_precompile library)
  if(ARGN AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_precompile_headers(${library} PRIVATE ${ARGN})
    target_compile_options(${library} PRIVATE -fpch-preprocess)  # what ccache needs to see through the PCH
  endif()
endfunction()

# One precompiled header for all tests, with and without JSON: gmock alone takes two seconds of every file. It is valid
# only where the same macros are defined: some libraries bring -pthread, so all tests get it.
function(basalt_test_headers name)
  cmake_parse_arguments(ARG "" "" "LINKS;HEADERS" ${ARGN})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cc CONTENT "// Only carries a precompiled header.\n")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cc)
  target_link_libraries(${name} PRIVATE basalt_options basalt_instruments GTest::gmock ${ARG_LINKS})
  target_precompile_headers(${name} PRIVATE <gmock/gmock.h> ${ARG_HEADERS})
  target_compile_options(${name} PRIVATE -fpch-preprocess -pthread)
endfunction()

# basalt_test(<name> SOURCES <files…> LINKS <targets…> [JSON]): one GoogleTest executable, run by ctest as one test.
# Tests run from the project root. JSON: they link what needs <boost/json.hpp>.
function(basalt_test name)
  cmake_parse_arguments(ARG "JSON" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} GTest::gmock_main)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(headers basalt_test_headers)
    if(ARG_JSON)
      set(headers basalt_json_test_headers)
    endif()
    target_precompile_headers(${name} REUSE_FROM ${headers})
    target_compile_options(${name} PRIVATE -fpch-preprocess -pthread)
  endif()
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS unit)
endfunction()

# basalt_binary(<name> LINKS <folders…> [ALSO_CALLED <names…>]): the program, from src/bin/*.cc, and links beside it
# under whose names it is another program.
function(basalt_binary name)
  cmake_parse_arguments(ARG "" "" "LINKS;ALSO_CALLED" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/bin/*.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  list(TRANSFORM ARG_LINKS PREPEND basalt_)
  target_link_libraries(${name} PRIVATE ${ARG_LINKS})
  if(NOT BASALT_SANITIZE)
    # A third less CPU per API request than with glibc's malloc; sanitizers bring their own.
    target_link_libraries(${name} PRIVATE PkgConfig::JEMALLOC)
  endif()
  target_compile_definitions(${name} PRIVATE BASALT_VERSION="${PROJECT_VERSION}")
  install(TARGETS ${name} RUNTIME)
  foreach(alias IN LISTS ARG_ALSO_CALLED)
    add_custom_command(TARGET ${name} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E create_symlink ${name} $<TARGET_FILE_DIR:${name}>/${alias})
    install(PROGRAMS $<TARGET_FILE_DIR:${name}>/${alias} TYPE BIN)  # links are installed as links
  endforeach()
endfunction()
