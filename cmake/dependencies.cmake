# Libraries of the system. tools/install_dependencies.sh installs their Debian packages.

find_package(PkgConfig REQUIRED)
pkg_check_modules(EXPAT REQUIRED IMPORTED_TARGET expat)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
if(LIMPET_LOGS AND LIMPET_STATIC_HDF5)  # tools/build_hdf5.sh: nothing comes along but zlib
  find_package(ZLIB REQUIRED)
  set(HDF5_C_INCLUDE_DIRS ${LIMPET_STATIC_HDF5}/include)
  set(HDF5_C_LIBRARIES ${LIMPET_STATIC_HDF5}/lib/libhdf5.a ZLIB::ZLIB -Wl,--exclude-libs,libhdf5.a)
elseif(LIMPET_LOGS)
  find_package(HDF5 REQUIRED COMPONENTS C)
  list(FILTER HDF5_C_LIBRARIES INCLUDE REGEX "hdf5")  # what it needs itself, it brings
endif()
find_library(QHULL_LIBRARY qhull_r REQUIRED)
find_library(AMD_LIBRARY amd REQUIRED)
find_library(SUITESPARSECONFIG_LIBRARY suitesparseconfig REQUIRED)
find_package(Threads REQUIRED)

# DAE, PLY, glTF and GLB meshes: optional. The library is opened when the first such file is read,
# by the name that its headers fit.
find_path(ASSIMP_INCLUDE assimp/cimport.h)
find_library(ASSIMP_LIBRARY assimp)
if(ASSIMP_INCLUDE AND ASSIMP_LIBRARY)
  get_filename_component(LIMPET_ASSIMP_PATH ${ASSIMP_LIBRARY} REALPATH)
  get_filename_component(LIMPET_ASSIMP_NAME ${LIMPET_ASSIMP_PATH} NAME)
  string(REGEX REPLACE "(\\.so\\.[0-9]+).*" "\\1" LIMPET_ASSIMP_NAME ${LIMPET_ASSIMP_NAME})
else()
  message(STATUS "assimp is missing (libassimp-dev): DAE, PLY, glTF and GLB meshes are not read")
endif()

# civetweb serves the live view: optional
find_path(CIVETWEB_INCLUDE civetweb.h)
find_library(CIVETWEB_LIBRARY civetweb)
if(CIVETWEB_INCLUDE AND CIVETWEB_LIBRARY)
  set(LIMPET_WEB_LIBRARIES ${CIVETWEB_LIBRARY})
else()
  set(LIMPET_WEB_LIBRARIES "")
  message(STATUS "civetweb is missing (libcivetweb-dev): there will be no live view")
endif()

set(LIMPET_DEPENDENCIES PkgConfig::EXPAT PkgConfig::JANSSON ${HDF5_C_LIBRARIES} ${QHULL_LIBRARY}
  ${AMD_LIBRARY}
  ${SUITESPARSECONFIG_LIBRARY} ${LIMPET_WEB_LIBRARIES} Threads::Threads m ${CMAKE_DL_LIBS})
