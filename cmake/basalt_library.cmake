# basalt_library(<layer> [LINKS <layers…>] [EXTERNAL <targets…>] [BELOW <name>] [ALONE <words…>] [LIGHT])
#
# Makes the static library basalt_<layer> (a/b is written a_b) from src/<layer>/**/*.cc, and the test executable
# <layer>_test from src/<layer>/**/*_test.cc; without what belongs to a layer further down, which must be named before.
# A layer without sources is only an arrow: it passes its links on.
# BELOW: what is in folders below src/<layer> is a library of its own, basalt_<name>: who needs only the top builds no
# more.
# ALONE: files with one of the words in their name are each a unit of their own.
# LIGHT: no benchmark spends its time here, so that release compiles it with -O1 and a debug build with -O0: a third and
# a half of the time less.
function(basalt_library layer)
  cmake_parse_arguments(ARG "LIGHT" "BELOW" "LINKS;EXTERNAL;ALONE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${layer}/*.cc)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${layer}/*.h)
  get_property(named GLOBAL PROPERTY BASALT_LAYERS)
  foreach(other IN LISTS named)
    list(FILTER sources EXCLUDE REGEX "/src/${other}/")
    list(FILTER headers EXCLUDE REGEX "/src/${other}/")
  endforeach()
  set_property(GLOBAL APPEND PROPERTY BASALT_LAYERS ${layer})
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set_property(GLOBAL APPEND PROPERTY BASALT_SOURCES ${sources})
  set_property(GLOBAL APPEND PROPERTY BASALT_HEADERS ${headers})
  foreach(word IN LISTS ARG_ALONE)
    set(alone ${sources})
    list(FILTER alone INCLUDE REGEX "${word}[^/]*$")
    set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  if(ARG_BELOW)
    set(below ${sources})
    list(FILTER below INCLUDE REGEX "/src/${layer}/.*/")
    list(FILTER sources EXCLUDE REGEX "/src/${layer}/.*/")
  endif()

  string(REPLACE "/" "_" name ${layer})
  set(library basalt_${name})
  set(scope PUBLIC)
  if(sources)
    add_library(${library} STATIC ${sources})
    basalt_batches(${library})
  else()
    add_library(${library} INTERFACE)
    set(scope INTERFACE)
  endif()
  list(TRANSFORM ARG_LINKS REPLACE "/" "_")
  list(TRANSFORM ARG_LINKS PREPEND basalt_)
  target_link_libraries(${library} ${scope} basalt_options basalt_instruments ${ARG_LINKS} ${ARG_EXTERNAL})
  set(all ${library})
  if(ARG_BELOW)
    add_library(basalt_${ARG_BELOW} STATIC ${below})
    basalt_batches(basalt_${ARG_BELOW})
    target_link_libraries(basalt_${ARG_BELOW} PUBLIC ${library})
    list(APPEND all basalt_${ARG_BELOW})
  endif()
  set_property(GLOBAL APPEND PROPERTY BASALT_LIBRARIES ${all})
  if(ARG_LIGHT)
    foreach(target IN LISTS all)
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Debug>:-O0>)
    endforeach()
  endif()

  if(tests AND BASALT_TESTS)
    basalt_test(${name}_test SOURCES ${tests} LINKS ${all})
  endif()
endfunction()

# Most of the time of a file goes into headers that its neighbours include too, so several files are one unit. Names in
# anonymous namespaces must therefore differ within a library. What a file forgets to include, and what shadows a name
# in its own text, is found by check_sources, which compiles each alone. Batches are of equal size, at most
# BASALT_BATCH: a small one at the end would read all headers for a few files.
function(basalt_batches target)
  if(BASALT_UNITY)
    get_target_property(files ${target} SOURCES)
    list(LENGTH files count)
    math(EXPR batches "(${count} + ${BASALT_BATCH} - 1) / ${BASALT_BATCH}")
    math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
  endif()
endfunction()

# basalt_test(<name> SOURCES <files…> LINKS <targets…>): one GoogleTest executable, run by ctest as one test.
# Tests run from the project root. Compiled with -O0: half the time, and what they test is compiled elsewhere.
function(basalt_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  basalt_batches(${name})
  target_compile_options(${name} PRIVATE -O0)
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} GTest::gmock_main)
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS unit)
endfunction()

# basalt_binary(<name> LINKS <layers…> [ALSO_CALLED <names…>]): the program, from src/programs/*.cc, and links beside
# it under whose names it is another program.
function(basalt_binary name)
  cmake_parse_arguments(ARG "" "" "LINKS;ALSO_CALLED" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/programs/*.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  list(TRANSFORM ARG_LINKS REPLACE "/" "_")
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
