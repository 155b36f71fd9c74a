# What is installed, and how other projects find it: find_package(limpet) and pkg-config limpet.

include(CMakePackageConfigHelpers)
set(LIMPET_CMAKE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/limpet)

install(TARGETS limpet EXPORT limpet LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET limpet_command)
  install(TARGETS limpet_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # the manual page, and what shells complete, from the command itself
  install(CODE "execute_process(COMMAND $<TARGET_FILE:limpet_command> man
    OUTPUT_FILE ${PROJECT_BINARY_DIR}/limpet.1)
  execute_process(COMMAND $<TARGET_FILE:limpet_command> completion bash
    OUTPUT_FILE ${PROJECT_BINARY_DIR}/limpet.bash)
  execute_process(COMMAND $<TARGET_FILE:limpet_command> completion zsh
    OUTPUT_FILE ${PROJECT_BINARY_DIR}/_limpet)
  execute_process(COMMAND $<TARGET_FILE:limpet_command> completion fish
    OUTPUT_FILE ${PROJECT_BINARY_DIR}/limpet.fish)")
  install(FILES ${PROJECT_BINARY_DIR}/limpet.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${PROJECT_BINARY_DIR}/limpet.bash RENAME limpet
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PROJECT_BINARY_DIR}/_limpet
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${PROJECT_BINARY_DIR}/limpet.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  # what `limpet bench --against mujoco` starts
  install(FILES benchmarks/against_mujoco.py DESTINATION ${CMAKE_INSTALL_DATADIR}/limpet)
endif()
install(DIRECTORY include/limpet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT limpet NAMESPACE limpet:: FILE limpetTargets.cmake
  DESTINATION ${LIMPET_CMAKE_FOLDER})
configure_package_config_file(cmake/limpetConfig.cmake.in limpetConfig.cmake
  INSTALL_DESTINATION ${LIMPET_CMAKE_FOLDER})
write_basic_package_version_file(limpetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/limpetConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/limpetConfigVersion.cmake
  DESTINATION ${LIMPET_CMAKE_FOLDER})

# the prefix in limpet.pc is relative to the file, so that an install tree can be moved
file(RELATIVE_PATH LIMPET_PREFIX_FROM_PC ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
  ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" LIMPET_PREFIX_FROM_PC "${LIMPET_PREFIX_FROM_PC}")
configure_file(cmake/limpet.pc.in limpet.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/limpet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
