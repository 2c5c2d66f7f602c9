# What ctest runs besides the unit tests of each folder.
#
#   property_test …       tests/<dir>/*.cc with a *_test.cc, one executable per directory, linked with everything but
#                         where BASALT_LINKS_<dir> below says what suffices: then TSan need not build the rest
#   scenarios, kubectl …  scripts and the program itself, by basalt_script_test. The label says where it runs: real and
#                         lives on the release build, the others on dev
#
# What each proves is in tests/README.md; `./test NAME` runs one (tools/test-one reads the calls of basalt_script_test).
get_property(libraries GLOBAL PROPERTY BASALT_LIBRARIES)

function(basalt_script_test name label)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77)
endfunction()

set(BASALT_LINKS_client basalt_server basalt_control_loop)
set(BASALT_LINKS_crash basalt_server)
set(BASALT_LINKS_lease basalt_server basalt_programs_lease)
set(BASALT_LINKS_golden basalt_server)
set(BASALT_LINKS_life basalt_lab)
set(BASALT_LINKS_local basalt_server basalt_control_kubernetes basalt_control_node)
set(BASALT_LINKS_property basalt_engine_policy)
set(BASALT_LINKS_schedule basalt_server basalt_control_kubernetes basalt_control_volcano basalt_control_scheduler)
set(BASALT_LINKS_seeds basalt_lab)
set(BASALT_LINKS_simulated basalt_server basalt_control_kubernetes basalt_control_node)
set(BASALT_LINKS_traffic basalt_server)
set(BASALT_LINKS_types basalt_server)
set(BASALT_LINKS_upkeep basalt_server basalt_control_kubernetes)
set(BASALT_LINKS_webhook basalt_server basalt_programs_webhook)
set(BASALT_LINKS_whole basalt_programs_up basalt_programs_daemon basalt_programs_cli_verbs)

if(BASALT_TESTS)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*/*_test.cc)
  set(folders)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    list(APPEND folders ${folder})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    file(GLOB members CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${folder}/*.cc)  # the tests and what they share
    set(ring ${folder}_test)
    if(TARGET ${ring})  # a folder of src/ has the same name, and unit tests of its own
      set(ring ${folder}_ring_test)
    endif()
    set(links ${libraries})
    if(DEFINED BASALT_LINKS_${folder})
      set(links ${BASALT_LINKS_${folder}})
    endif()
    basalt_test(${ring} SOURCES ${members} LINKS ${links})
    target_include_directories(${ring} PRIVATE ${CMAKE_SOURCE_DIR})
    set_tests_properties(${ring} PROPERTIES LABELS ${folder})
  endforeach()
endif()

if(BASALT_TESTS)
  # Kubernetes' binary form against JSON, at a real kube-apiserver. Not labelled real: only builds with tests have it.
  file(GLOB members CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/kube/protobuf/*.cc)
  add_executable(kube_protobuf ${members})
  target_link_libraries(kube_protobuf PRIVATE basalt_kube_client)
  target_include_directories(kube_protobuf PRIVATE ${CMAKE_SOURCE_DIR})
  basalt_script_test(protobuf kube ${CMAKE_SOURCE_DIR}/tests/kube/run-protobuf $<TARGET_FILE:kube_protobuf>)
endif()

if(TARGET basalt)
  if(IS_DIRECTORY ${CMAKE_SOURCE_DIR}/tests/scenarios)
    file(GLOB themes CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/tests/scenarios/*)
    list(REMOVE_ITEM themes tests/scenarios/life)
    basalt_script_test(scenarios scenarios basalt scenario ${themes})
    # Label of its own: hundreds of whole servers, which only the release build starts quickly.
    basalt_script_test(scenarios_life lives basalt scenario tests/scenarios/life)
  endif()
  basalt_script_test(conformance conformance
    ${CMAKE_SOURCE_DIR}/tools/run-conformance $<TARGET_FILE:basalt> cases)
  basalt_script_test(conformance_probe conformance
    ${CMAKE_SOURCE_DIR}/tools/run-conformance $<TARGET_FILE:basalt> probe)
  basalt_script_test(conformance_defaults conformance
    ${CMAKE_SOURCE_DIR}/tools/run-conformance $<TARGET_FILE:basalt> defaults)
  basalt_script_test(vcctl vcctl ${CMAKE_SOURCE_DIR}/tests/vcctl/run $<TARGET_FILE:basalt>)
  # Alone, for it measures how long others wait meanwhile. 10 s: a server that hangs, not a machine that is busy; the
  # figure that counts (1 s) is the script's own default.
  basalt_script_test(attacks real ${CMAKE_SOURCE_DIR}/tests/attack/run --limit 10 $<TARGET_FILE:basalt>)
  set_tests_properties(attacks PROPERTIES RUN_SERIAL TRUE)
  basalt_script_test(detach up ${CMAKE_SOURCE_DIR}/tests/up/run $<TARGET_FILE:basalt>)
  basalt_script_test(full_disk disk ${CMAKE_SOURCE_DIR}/tests/disk/run $<TARGET_FILE:basalt>)
  basalt_script_test(program_end vcctl ${CMAKE_SOURCE_DIR}/tests/kube/program_end_test $<TARGET_FILE:basalt>)
  # Real programs against our server: slow to build once, then cached; skipped loudly where there is no Go.
  # The clients of our server meet one with sanitizers, too, for a shorter time: then they are labelled clients.
  set(clients real)
  set(churn 60)  # seconds
  set(sequence)  # both of run-apidiff
  if(BASALT_SANITIZE)
    set(clients clients)
    set(churn brief)
    set(sequence 1 1000)
  endif()
  basalt_script_test(kubectl ${clients} ${CMAKE_SOURCE_DIR}/tests/kubectl/run $<TARGET_FILE:basalt>)
  basalt_script_test(informers ${clients}
    ${CMAKE_SOURCE_DIR}/tests/kube/run-informers $<TARGET_FILE:basalt> ${churn})
  basalt_script_test(apidiff ${clients}
    ${CMAKE_SOURCE_DIR}/tests/kube/run-apidiff $<TARGET_FILE:basalt> ${sequence})
  basalt_script_test(bench_kubernetes real
    ${CMAKE_SOURCE_DIR}/tests/kube/bench-kubernetes $<TARGET_FILE:basalt> --load smoke)
  basalt_script_test(examples real ${CMAKE_SOURCE_DIR}/tests/examples/run $<TARGET_FILE:basalt>)
  basalt_script_test(seed_lines_000 real ${CMAKE_SOURCE_DIR}/tests/seeds/lines $<TARGET_FILE:basalt> 000)
  basalt_script_test(seed_lines_001 real ${CMAKE_SOURCE_DIR}/tests/seeds/lines $<TARGET_FILE:basalt> 001)
  basalt_script_test(seed_lines_002 real ${CMAKE_SOURCE_DIR}/tests/seeds/lines $<TARGET_FILE:basalt> 002)
  basalt_script_test(seed_lines_003 real ${CMAKE_SOURCE_DIR}/tests/seeds/lines $<TARGET_FILE:basalt> 003)
  basalt_script_test(seed_lines_table real ${CMAKE_SOURCE_DIR}/tests/seeds/lines $<TARGET_FILE:basalt> table)
  basalt_script_test(deploy real ${CMAKE_SOURCE_DIR}/tests/deploy/run $<TARGET_FILE:basalt>)
  # Our programs on a real API server.
  basalt_script_test(on_kubernetes real ${CMAKE_SOURCE_DIR}/tests/kube/on-kubernetes $<TARGET_FILE:basalt>)
  basalt_script_test(lifecycle real ${CMAKE_SOURCE_DIR}/tests/kube/lifecycle $<TARGET_FILE:basalt>)
  basalt_script_test(kube_life real ${CMAKE_SOURCE_DIR}/tests/kube/life $<TARGET_FILE:basalt>)
  basalt_script_test(chaos real ${CMAKE_SOURCE_DIR}/tests/kube/chaos $<TARGET_FILE:basalt> --kills 20)
  basalt_script_test(programs real ${CMAKE_SOURCE_DIR}/tests/kube/programs $<TARGET_FILE:basalt>)
  basalt_script_test(webhooks real ${CMAKE_SOURCE_DIR}/tests/kube/webhooks $<TARGET_FILE:basalt>)
  basalt_script_test(kube_scenarios real ${CMAKE_SOURCE_DIR}/tests/kube/scenarios $<TARGET_FILE:basalt>)
  if(EXISTS ${CMAKE_SOURCE_DIR}/tests/docs/run)
    basalt_script_test(docs docs ${CMAKE_SOURCE_DIR}/tests/docs/run $<TARGET_FILE:basalt>)
    # Alone: it uses the port that a user gets.
    basalt_script_test(readme real ${CMAKE_SOURCE_DIR}/tests/docs/readme $<TARGET_FILE:basalt>)
    set_tests_properties(readme PROPERTIES RUN_SERIAL TRUE)
  endif()
endif()

basalt_script_test(docs_self_test tools ${Python3_EXECUTABLE} tests/docs/worked_example_test)
basalt_script_test(with_progress tools ${Python3_EXECUTABLE} tests/tools/with_progress_test)
basalt_script_test(write_views tools ${Python3_EXECUTABLE} tests/tools/write_views_test)
basalt_script_test(test_one tools ${Python3_EXECUTABLE} tests/tools/test_one_test --build ${CMAKE_BINARY_DIR})
basalt_script_test(tidy tidy ${Python3_EXECUTABLE} tools/tidy/tidy.py)
basalt_script_test(tidy_self_test tidy ${Python3_EXECUTABLE} tools/tidy/tidy_test.py)

get_property(all_tests DIRECTORY PROPERTY TESTS)
# Against a test that hangs; a busy machine takes several times the usual.
set_property(TEST ${all_tests} PROPERTY TIMEOUT 1200)
set_property(TEST ${all_tests} PROPERTY ENVIRONMENT
  "ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1"
  "UBSAN_OPTIONS=print_stacktrace=1"
  "TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/tsan-suppressions.txt")
