# Libraries of the system. tools/install_dependencies.sh installs their Debian packages.

find_package(PkgConfig REQUIRED)
pkg_check_modules(EXPAT REQUIRED IMPORTED_TARGET expat)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
if(LIMPET_LOGS)
  find_package(HDF5 REQUIRED COMPONENTS C)
  list(FILTER HDF5_C_LIBRARIES INCLUDE REGEX "hdf5")  # what it needs itself, it brings
endif()
find_library(QHULL_LIBRARY qhull_r REQUIRED)
find_library(AMD_LIBRARY amd REQUIRED)
find_library(SUITESPARSECONFIG_LIBRARY suitesparseconfig REQUIRED)
find_package(Threads REQUIRED)

set(LIMPET_DEPENDENCIES PkgConfig::EXPAT PkgConfig::JANSSON ${HDF5_C_LIBRARIES} ${QHULL_LIBRARY}
  ${AMD_LIBRARY}
  ${SUITESPARSECONFIG_LIBRARY} Threads::Threads m)
