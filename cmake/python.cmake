# The extension modules limpet._native, the whole library and what cffi makes of the public headers,
# and limpet._world. They keep to Python's stable ABI, so that one file of each serves Python 3.11
# and newer. pyproject.toml calls this by scikit-build-core.

find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
set(LIMPET_NATIVE_SOURCE ${PROJECT_BINARY_DIR}/generated/native.c)
file(GLOB LIMPET_PUBLIC_HEADERS CONFIGURE_DEPENDS include/limpet/*.h)
add_custom_command(OUTPUT ${LIMPET_NATIVE_SOURCE}
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/python/declarations.py
    ${PROJECT_SOURCE_DIR}/include ${LIMPET_NATIVE_SOURCE}
  DEPENDS ${LIMPET_PUBLIC_HEADERS} python/declarations.py python/ask.h
  COMMENT "Describing the public headers to cffi" VERBATIM)
# what the headers say of fields, for docstrings
set(LIMPET_PYTHON_DESCRIPTIONS ${PROJECT_BINARY_DIR}/generated/_descriptions.py)
add_custom_command(OUTPUT ${LIMPET_PYTHON_DESCRIPTIONS}
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/python/descriptions.py
    ${PROJECT_SOURCE_DIR}/include ${LIMPET_PYTHON_DESCRIPTIONS}
  DEPENDS ${LIMPET_PUBLIC_HEADERS} python/descriptions.py
  COMMENT "Collecting what the public headers say of fields" VERBATIM)
add_library(limpet_native MODULE ${LIMPET_NATIVE_SOURCE} ${LIMPET_PYTHON_DESCRIPTIONS}
  $<TARGET_OBJECTS:limpet_objects>)
set_target_properties(limpet_native PROPERTIES OUTPUT_NAME _native PREFIX "" SUFFIX ".abi3.so")
target_include_directories(limpet_native PRIVATE include python ${Python_INCLUDE_DIRS})
target_compile_definitions(limpet_native PRIVATE _DEFAULT_SOURCE
  Py_LIMITED_API=0x030b0000)
target_link_libraries(limpet_native PRIVATE ${LIMPET_DEPENDENCIES})
install(TARGETS limpet_native LIBRARY DESTINATION limpet)

# what a loop of steps goes through, without the interpreter
add_library(limpet_world MODULE python/world.c)
set_target_properties(limpet_world PROPERTIES OUTPUT_NAME _world PREFIX "" SUFFIX ".abi3.so"
  C_VISIBILITY_PRESET hidden)
target_include_directories(limpet_world PRIVATE include)
target_include_directories(limpet_world SYSTEM PRIVATE ${Python_INCLUDE_DIRS})
target_compile_definitions(limpet_world PRIVATE Py_LIMITED_API=0x030b0000)
# pedantic: Python's slots are functions as void *
target_compile_options(limpet_world PRIVATE ${LIMPET_WARNINGS} -Wno-pedantic)
install(TARGETS limpet_world LIBRARY DESTINATION limpet)
add_dependencies(limpet_native limpet_world)

# types of what the package makes from the tables of the library
set(LIMPET_STUBS ${PROJECT_BINARY_DIR}/python/__init__.pyi)
add_custom_command(TARGET limpet_native POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/python/limpet
    ${PROJECT_BINARY_DIR}/python/limpet
  COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:limpet_native> $<TARGET_FILE:limpet_world>
    ${LIMPET_PYTHON_DESCRIPTIONS}
    ${PROJECT_BINARY_DIR}/python/limpet
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/python/stubs.py ${PROJECT_BINARY_DIR}/python
    ${LIMPET_STUBS}
  COMMENT "Writing the types of the package" VERBATIM)
install(FILES ${LIMPET_STUBS} ${LIMPET_PYTHON_DESCRIPTIONS} DESTINATION limpet)
