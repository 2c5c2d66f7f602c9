# One libFuzzer executable per tests/fuzz/*_fuzz.cc. Corpus: tests/fuzz/corpus/<name without _fuzz>/.
if(BASALT_FUZZ)
  # With all below them, what fuzzers call.
  set(fuzzed basalt_server basalt_control_scheduler_state basalt_programs_webhook)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/*_fuzz.cc)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE ${fuzzed})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endforeach()

  # What no fuzzer calls is left to check_sources.
  get_property(libraries GLOBAL PROPERTY BASALT_LIBRARIES)
  set_target_properties(${libraries} basalt PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
