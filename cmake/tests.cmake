# Tests: one cmocka program for each tests/*/test_*.c, one script for each tests/*/test_*.py and
# tests/*/test_*.mjs, and the checks of tools/. A test that ends with status 77 was skipped and says
# why.
#
# Labels: `slow` (file name ends in _slow) and `once` (scripts and checks) are left out under
# sanitizers.

pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_program(NODE_PROGRAM node)

# What tests are linked with. They reach hidden symbols, so it is the static library. A program with
# all of its sanitized objects has 70 MB, and 300 of them take the linker as long as the library
# takes the compiler: under sanitizers all symbols are visible, and the shared library serves.
set(LIMPET_TESTED limpet_static)
if(LIMPET_SANITIZE)
  set(LIMPET_TESTED limpet)
endif()

# programs that count allocations or let one of them fail replace the allocator at link time
set(LIMPET_ALLOCATOR_TESTS test_malloc_failure test_no_allocation test_interior_point
  test_controller_memory test_recorder test_soft test_contact_change)
# and these, other functions of the library: it has to be linked into them
set(LIMPET_STATIC_TESTS ${LIMPET_ALLOCATOR_TESTS} test_pair_work test_mjcf_load_cost
  test_coulomb_unfactored)

# gold links a test in half the time of GNU's default
include(CheckLinkerFlag)
check_linker_flag(C -fuse-ld=gold LIMPET_HAS_GOLD)

file(GLOB LIMPET_TEST_SUPPORT CONFIGURE_DEPENDS tests/support/*.c scenes/support/*.c)
add_library(limpet_test_support STATIC ${LIMPET_TEST_SUPPORT})
target_compile_definitions(limpet_test_support PUBLIC _DEFAULT_SOURCE
  $<$<BOOL:${LIMPET_TEST_LESS}>:LIMPET_TEST_LESS>)
target_include_directories(limpet_test_support PUBLIC tests/support scenes/support src
  ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(limpet_test_support PUBLIC PkgConfig::CMOCKA PkgConfig::JANSSON m)
target_include_directories(limpet_test_support PUBLIC include)

# the folders of this build for those that ask; a compiler cache has the others from another clone
file(GLOB LIMPET_TEST_SOURCES CONFIGURE_DEPENDS tests/*/*.c)
foreach(source ${LIMPET_TEST_SOURCES})
  file(STRINGS ${source} asks REGEX "LIMPET_(SOURCE|BINARY)_DIR" LIMIT_COUNT 1)
  if(asks)
    set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS
      "LIMPET_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\";LIMPET_BINARY_DIR=\"${PROJECT_BINARY_DIR}\"")
  endif()
endforeach()

# what scripts are told about this build
set(LIMPET_TEST_ENVIRONMENT "LIMPET_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
  "LIMPET_BINARY_DIR=${PROJECT_BINARY_DIR}"
  "LIMPET_COMMAND=${PROJECT_BINARY_DIR}/limpet" "CC=${CMAKE_C_COMPILER}")

function(limpet_test_properties name)
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600
    ENVIRONMENT "${LIMPET_TEST_ENVIRONMENT}")
  if(name MATCHES "_slow$")
    set_property(TEST ${name} APPEND PROPERTY LABELS slow)
  endif()
endfunction()

# readers of files as functions of bytes, those of the command too
add_library(limpet_fuzz_readers STATIC tests/fuzz/readers.c tests/fuzz/readers_record.c
  cli/controls.c cli/table.c cli/quantity.c cli/suggest.c cli/text_file.c cli/output.c)
target_include_directories(limpet_fuzz_readers PUBLIC tests/fuzz cli)
target_link_libraries(limpet_fuzz_readers PUBLIC limpet_test_support)

# Under sanitizers and by a second compiler slow tests do not run, so they are not built; nor is the
# one that counts the blocks that run, for which the optimised build stands.
set(LIMPET_TEST_WHOLE ON)
if(LIMPET_SANITIZE OR LIMPET_TEST_LESS)
  set(LIMPET_TEST_WHOLE OFF)
endif()

file(GLOB LIMPET_TESTS CONFIGURE_DEPENDS tests/*/test_*.c)
if(NOT LIMPET_TEST_WHOLE)
  list(FILTER LIMPET_TESTS EXCLUDE REGEX "/test_(pair_work|[^/]*_slow)\\.c$")
endif()
foreach(source ${LIMPET_TESTS})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_compile_options(${name} PRIVATE ${LIMPET_WARNINGS})
  target_link_options(${name} PRIVATE $<$<BOOL:${LIMPET_HAS_GOLD}>:-fuse-ld=gold>)
  if(name IN_LIST LIMPET_STATIC_TESTS)
    target_link_libraries(${name} PRIVATE limpet_test_support limpet_static)
  else()
    target_link_libraries(${name} PRIVATE limpet_test_support ${LIMPET_TESTED}
      ${LIMPET_DEPENDENCIES})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  limpet_test_properties(${name})
endforeach()

target_link_libraries(test_fuzz_corpus PRIVATE limpet_fuzz_readers ${LIMPET_TESTED})

# coverage-guided fuzzing by clang's libFuzzer (tools/fuzz.py)
if(LIMPET_FUZZ)
  add_executable(limpet_fuzz tests/fuzz/fuzz_target.c)
  target_link_libraries(limpet_fuzz PRIVATE limpet_fuzz_readers limpet_static)
  target_link_options(limpet_fuzz PRIVATE -fsanitize=fuzzer)
endif()

foreach(name ${LIMPET_ALLOCATOR_TESTS})
  target_link_options(${name} PRIVATE
    LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc
    LINKER:--wrap=aligned_alloc,--wrap=posix_memalign,--wrap=strdup)
endforeach()

# counts the blocks that run: the geometry of pairs once more, before that of the library
if(LIMPET_TEST_WHOLE)
  file(GLOB LIMPET_COUNTED CONFIGURE_DEPENDS src/geometry/convex_*.c src/geometry/depth_*.c
    src/geometry/face*.c src/geometry/pair_*.c)
  add_library(limpet_counted OBJECT ${LIMPET_COUNTED} src/geometry/epa.c src/geometry/gjk.c
    src/geometry/hull_support.c src/geometry/manifold.c src/geometry/shape.c)
  target_include_directories(limpet_counted PRIVATE include src)
  target_compile_definitions(limpet_counted PRIVATE _DEFAULT_SOURCE)
  target_compile_options(limpet_counted PRIVATE ${LIMPET_WARNINGS} ${LIMPET_MATH_OPTIONS}
    -fsanitize-coverage=trace-pc)
  target_sources(test_pair_work PRIVATE $<TARGET_OBJECTS:limpet_counted>)
endif()

# counts calls of the reader's services
target_link_options(test_mjcf_load_cost PRIVATE
  LINKER:--wrap=limpet_builder_joint,--wrap=limpet_builder_body,--wrap=strcmp)

# lets factorizations fail
target_link_options(test_coulomb_unfactored PRIVATE LINKER:--wrap=limpet_island_factor)

# scripts and checks: once, not for every sanitizer
function(limpet_script_test name)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  limpet_test_properties(${name})
  set_property(TEST ${name} APPEND PROPERTY LABELS once)
endfunction()

file(GLOB LIMPET_PYTHON_TESTS CONFIGURE_DEPENDS tests/*/test_*.py)
foreach(source ${LIMPET_PYTHON_TESTS})
  get_filename_component(name ${source} NAME_WE)
  limpet_script_test(${name} ${Python3_EXECUTABLE} ${source})
endforeach()
file(GLOB LIMPET_NODE_TESTS CONFIGURE_DEPENDS tests/*/test_*.mjs)
foreach(source ${LIMPET_NODE_TESTS})
  get_filename_component(name ${source} NAME_WE)
  if(NODE_PROGRAM)
    limpet_script_test(${name} ${NODE_PROGRAM} --test ${source})
  endif()
endforeach()

limpet_script_test(check_floors ${Python3_EXECUTABLE} tools/check_floors.py)
set(LIMPET_OBJECT_LIST ${PROJECT_BINARY_DIR}/objects.txt)
file(GENERATE OUTPUT ${LIMPET_OBJECT_LIST}
  CONTENT "$<JOIN:$<TARGET_OBJECTS:limpet_objects>,\n>\n")
limpet_script_test(check_calls ${Python3_EXECUTABLE} tools/check_calls.py ${LIMPET_OBJECT_LIST})
limpet_script_test(check_headers ${Python3_EXECUTABLE} tools/check_headers.py)
limpet_script_test(check_lengths ${Python3_EXECUTABLE} tools/check_lengths.py)
limpet_script_test(check_asserts ${Python3_EXECUTABLE} tools/check_asserts.py)
limpet_script_test(build_docs tools/build_docs.sh)
limpet_script_test(check_format tools/check_format.sh)
limpet_script_test(python_package tools/test_python.sh)
if(NOT LIMPET_SANITIZE)  # the sanitizers' own symbols are none of ours
  limpet_script_test(check_symbols ${Python3_EXECUTABLE} tools/check_symbols.py
    $<TARGET_FILE:limpet> $<TARGET_FILE:limpet_static>)
endif()

# a project outside that finds Limpet in an install tree, both ways, or takes the checkout as a part
# of itself
set(LIMPET_INSTALL_TREE ${PROJECT_BINARY_DIR}/install_tree)
limpet_script_test(install ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix
  ${LIMPET_INSTALL_TREE})
limpet_script_test(consumer_find_package tests/consumer/run.sh find_package ${LIMPET_INSTALL_TREE}
  ${PROJECT_BINARY_DIR}_consumer)
limpet_script_test(consumer_pkg_config tests/consumer/run.sh pkg_config ${LIMPET_INSTALL_TREE}
  ${PROJECT_BINARY_DIR}_consumer)
limpet_script_test(consumer_add_subdirectory tests/consumer/run.sh add_subdirectory
  ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}_consumer)
set_tests_properties(install PROPERTIES FIXTURES_SETUP install_tree)
set_tests_properties(consumer_find_package consumer_pkg_config PROPERTIES
  FIXTURES_REQUIRED install_tree)

# the longest first, by any build: the last test to end is not one that runs alone on one core
set(LIMPET_LONG_TESTS test_studies_quick test_page_slow python_package build_docs
  test_identify_coverage_slow test_pressure_potential_meshes_slow test_iterations test_identify
  test_live_view test_pressure_rolls_slow test_broken_variants test_pressure_worlds_slow
  test_pressure_rest test_pressure_shallow test_soft_contact test_hostile check_format
  test_pressure_deep test_run_aloha test_pressure_potential_slow test_impulse_two_phase
  test_impulse_methods test_pressure_worlds consumer_add_subdirectory test_log
  test_identify_starts_slow test_turned_world test_motor test_soft_crossing test_soft
  test_soft_self test_pressure_memory test_soft_gradient test_pressure_gradient test_stuffing
  test_pressure_laws test_pressure_potential test_folded_start test_pressure_slender
  test_mjcf_flexcomp test_pressure_twist test_plan_stages test_dynamics_derivatives
  test_random_states test_conservation test_laws test_models_agree test_reverse test_closed_loops
  test_normal_laws test_precision_limit test_closed_forms test_fast_loops test_touch_change
  test_soft_parameters)
list(LENGTH LIMPET_LONG_TESTS cost)
foreach(name ${LIMPET_LONG_TESTS})
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES COST ${cost})
  endif()
  math(EXPR cost "${cost} - 1")
endforeach()
