# The page of viewer/, bundled by npm's tools and put into the library as an array of bytes. Without
# npm, or where its registry cannot be reached, the array is empty, a warning says so, and
# limpet_replay_write answers that the library was built without the viewer.

option(LIMPET_BUILD_VIEWER "Bundle the browser viewer (needs npm)" ON)
find_program(NPM_PROGRAM npm)
find_program(NODE_PROGRAM node)

set(LIMPET_VIEWER_SOURCE ${PROJECT_BINARY_DIR}/generated/replay_template.c)
# touched by a failed build, so that the next build tries again
set(LIMPET_VIEWER_RETRY ${PROJECT_BINARY_DIR}/viewer/retry)
if(NOT EXISTS ${LIMPET_VIEWER_RETRY})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/viewer)
  file(TOUCH ${LIMPET_VIEWER_RETRY})
endif()
set(LIMPET_VIEWER_NPM "")
if(LIMPET_BUILD_VIEWER AND NPM_PROGRAM AND NODE_PROGRAM)
  set(LIMPET_VIEWER_NPM ${NPM_PROGRAM})
else()
  message(STATUS
    "Without npm the library is built without the viewer: replays (--html) will not be available")
endif()

file(GLOB LIMPET_VIEWER_FILES CONFIGURE_DEPENDS viewer/src/*.ts viewer/src/*.css viewer/src/*.html
  viewer/*.mjs viewer/*.json)
add_custom_command(OUTPUT ${LIMPET_VIEWER_SOURCE}
  COMMAND ${CMAKE_COMMAND} -D NPM=${LIMPET_VIEWER_NPM} -D NODE=${NODE_PROGRAM} -D
    VIEWER=${PROJECT_SOURCE_DIR}/viewer
    -D OUTPUT=${LIMPET_VIEWER_SOURCE} -D PAGE=${PROJECT_BINARY_DIR}/viewer/replay.html -D
      RETRY=${LIMPET_VIEWER_RETRY}
    -P ${PROJECT_SOURCE_DIR}/cmake/build_viewer.cmake
  DEPENDS ${LIMPET_VIEWER_FILES} ${LIMPET_VIEWER_RETRY} cmake/build_viewer.cmake
  COMMENT "Bundling the viewer" VERBATIM)
