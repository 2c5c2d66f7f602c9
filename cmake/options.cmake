# basalt_options: what every unit of ours is compiled with.
# basalt_instruments: sanitizers and coverage; apart, because the header check does not need them.
add_library(basalt_options INTERFACE)
target_include_directories(basalt_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_features(basalt_options INTERFACE cxx_std_23)
target_compile_options(basalt_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wold-style-cast
  $<$<NOT:$<BOOL:${BASALT_UNITY}>>:-Wshadow>
  $<$<BOOL:${BASALT_WERROR}>:-Werror>
  # A field that an initialiser leaves out takes its default: that is how we write options and records.
  -Wno-missing-field-initializers
  # gcc 12's std::stable_sort uses what its own headers mark deprecated; clang does not forgive that.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  # gcc 12 reports overlaps and bounds inside std::string concatenation and search that are not there (GCC PR 105651,
  # PR 105329). clang and the sanitizers see the same code.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow>)

if(BASALT_UNITY)  # in a batch everything is in an included file
  target_compile_options(basalt_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()

add_library(basalt_instruments INTERFACE)
if(BASALT_SANITIZE)
  target_compile_options(basalt_instruments INTERFACE
    -fsanitize=${BASALT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    # Instrumented code confuses gcc's flow analysis: it warns about values that are set.
    # ThreadSanitizer does not know fences; Asio's are not what it would report.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  target_link_options(basalt_instruments INTERFACE -fsanitize=${BASALT_SANITIZE})
endif()
if(BASALT_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "BASALT_FUZZ needs clang: use the preset 'dev'.")
  endif()
  target_compile_options(basalt_instruments INTERFACE -fsanitize=fuzzer-no-link)
endif()

# A third of the time of a link, of which a build with tests has fifty.
find_program(BASALT_MOLD mold)
if(BASALT_MOLD)
  target_link_options(basalt_options INTERFACE -fuse-ld=mold)
endif()
