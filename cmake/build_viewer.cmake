# Run by the build (cmake -P): npm's packages, then the page, then a C file with its bytes. NPM
# empty: an empty array.
# Variables: NPM, NODE, VIEWER (folder of the sources), PAGE, OUTPUT (C file), RETRY (see
# viewer.cmake).

function(run_or_give_up result)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${VIEWER} RESULT_VARIABLE status
    OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(status EQUAL 0)
    set(${result} TRUE PARENT_SCOPE)
  else()
    message(WARNING
      "The library is built without the viewer, because this failed:\n${ARGN}\n${text}")
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

set(wanted FALSE)
if(NPM)
  set(wanted TRUE)
  # another build of this checkout, such as that of pip, uses the same packages
  file(LOCK ${VIEWER}/install.lock GUARD PROCESS RESULT_VARIABLE unlocked TIMEOUT 600)
  # packages are installed again only when the lock file has changed
  set(installed TRUE)
  if(NOT EXISTS ${VIEWER}/node_modules/.package-lock.json OR
      ${VIEWER}/package-lock.json IS_NEWER_THAN ${VIEWER}/node_modules/.package-lock.json)
    run_or_give_up(installed ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline
      --fetch-retries=1
      --fetch-retry-mintimeout=2000)
  endif()
  if(installed)
    run_or_give_up(built ${NODE} build.mjs ${PAGE} ${OUTPUT})
  endif()
endif()

if(NOT built)
  file(WRITE ${OUTPUT}
    "#include <stddef.h>\n\nextern const unsigned char limpet_replay_template[];\n"
    "extern const size_t limpet_replay_template_size;\n"
    "const unsigned char limpet_replay_template[1] = {0};\n"
    "const size_t limpet_replay_template_size = 0;\n")
  if(wanted)
    # later than the output, by any file system's clock
    execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 0.1)
    file(TOUCH ${RETRY})
  endif()
endif()
