# The command `limpet`. It sees the public headers only.

file(GLOB LIMPET_CLI_SOURCES CONFIGURE_DEPENDS cli/*.c)
if(LIMPET_CLI_SOURCES)
  add_executable(limpet_command ${LIMPET_CLI_SOURCES})
  set_target_properties(limpet_command PROPERTIES OUTPUT_NAME limpet
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  target_compile_definitions(limpet_command PRIVATE _DEFAULT_SOURCE)
  target_compile_options(limpet_command PRIVATE ${LIMPET_WARNINGS})
  target_link_libraries(limpet_command PRIVATE limpet Threads::Threads PkgConfig::JANSSON
    ${HDF5_C_LIBRARIES} m)
  target_include_directories(limpet_command PRIVATE ${HDF5_C_INCLUDE_DIRS})
  if(LIMPET_MPI)
    find_package(MPI REQUIRED COMPONENTS C)
    target_compile_definitions(limpet_command PRIVATE LIMPET_MPI)
    target_link_libraries(limpet_command PRIVATE MPI::MPI_C)
  endif()
endif()
