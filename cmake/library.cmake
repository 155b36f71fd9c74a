# The library: compiled once, linked as a shared library for users and as a static one for tests,
# which reach hidden symbols.

file(GLOB_RECURSE LIMPET_SOURCES CONFIGURE_DEPENDS src/*.c)
if(LIMPET_LOGS)
  list(FILTER LIMPET_SOURCES EXCLUDE REGEX "/record/without_logs\\.c$")
else()
  list(FILTER LIMPET_SOURCES EXCLUDE REGEX "/record/log[^/]*\\.c$")
endif()
if(LIMPET_WEB_LIBRARIES)
  list(FILTER LIMPET_SOURCES EXCLUDE REGEX "/record/without_web\\.c$")
else()
  list(FILTER LIMPET_SOURCES EXCLUDE REGEX "/record/web\\.c$")
endif()
include(cmake/viewer.cmake)
add_library(limpet_objects OBJECT ${LIMPET_SOURCES} ${LIMPET_VIEWER_SOURCE})
target_include_directories(limpet_objects PUBLIC include PRIVATE src)
# where HDF5 is, only where logs are: the package without them has all other objects from the
# optimised build by a compiler cache
file(GLOB LIMPET_LOG_SOURCES src/record/log*.c)
set_source_files_properties(${LIMPET_LOG_SOURCES} PROPERTIES
  INCLUDE_DIRECTORIES "${HDF5_C_INCLUDE_DIRS}")
target_compile_definitions(limpet_objects PRIVATE _DEFAULT_SOURCE)
target_compile_options(limpet_objects PRIVATE ${LIMPET_WARNINGS} ${LIMPET_MATH_OPTIONS})
target_link_libraries(limpet_objects PRIVATE PkgConfig::EXPAT PkgConfig::JANSSON)
if(LIMPET_SANITIZE)  # tests are linked with the shared library (cmake/tests.cmake)
  set_target_properties(limpet_objects PROPERTIES C_VISIBILITY_PRESET default)
endif()
if(LIMPET_ASSIMP_NAME)
  set_source_files_properties(src/format/mesh/assimp.c PROPERTIES COMPILE_DEFINITIONS
    "LIMPET_ASSIMP_LIBRARY=\"${LIMPET_ASSIMP_NAME}\"")
endif()
# the dense kernels and those of optim, fem and sweeps alone may contract to multiply-adds; they are
# chosen by CPU when the library is loaded
set(LIMPET_KERNEL_OPTIONS -ffp-contract=fast)
if(LIMPET_SANITIZE MATCHES undefined)
  # a check of each index in their loops is half the time of what deforms; addresses stay checked
  list(APPEND LIMPET_KERNEL_OPTIONS -fno-sanitize=undefined)
endif()
set_source_files_properties(src/math/dense_baseline.c src/math/ltl_baseline.c
  src/optim/qp_baseline.c src/fem/kernels_baseline.c src/solve/body_sweep_baseline.c
  src/solve/tree_sweep_baseline.c src/gradient/contact_kernels_baseline.c PROPERTIES
  COMPILE_OPTIONS "${LIMPET_KERNEL_OPTIONS}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(src/math/dense_avx2.c src/math/ltl_avx2.c src/optim/qp_avx2.c
    src/fem/kernels_avx2.c src/solve/body_sweep_avx2.c src/solve/tree_sweep_avx2.c
    src/gradient/contact_kernels_avx2.c PROPERTIES
    COMPILE_OPTIONS "${LIMPET_KERNEL_OPTIONS};-mavx2;-mfma")
  # wide tiles by name; what the compiler makes itself stays as wide as for AVX2, as do the bits
  set_source_files_properties(src/math/dense_avx512.c PROPERTIES
    COMPILE_OPTIONS
    "${LIMPET_KERNEL_OPTIONS};-mavx2;-mfma;-mavx512f;-mprefer-vector-width=256")
  set_source_files_properties(src/geometry/distance_avx2.c src/geometry/pressure_kernels_avx2.c
    src/dynamics/tree_kernels_avx2.c src/dynamics/column_kernels_avx2.c
    src/dynamics/derivative_kernels_avx2.c src/contact/point_kernels_avx2.c PROPERTIES
    COMPILE_OPTIONS "-mavx2")
endif()

add_library(limpet SHARED $<TARGET_OBJECTS:limpet_objects>)
add_library(limpet::limpet ALIAS limpet)
target_include_directories(limpet PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(limpet PRIVATE ${LIMPET_DEPENDENCIES})
if(NOT LIMPET_SANITIZE)  # the program brings the sanitizer
  target_link_options(limpet PRIVATE LINKER:--no-undefined)
endif()
# before 1.0 the layout of the public structs may change with every minor version, and the soname
# with it
set_target_properties(limpet PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

add_library(limpet_static STATIC $<TARGET_OBJECTS:limpet_objects>)
target_include_directories(limpet_static PUBLIC include)
target_link_libraries(limpet_static PUBLIC ${LIMPET_DEPENDENCIES})
