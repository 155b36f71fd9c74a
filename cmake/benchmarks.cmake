# Programs beside the library: one for each benchmarks/bench_*.c, run by `make bench`, and for each
# scenes/*/make_*.c, which writes what its scene is made of. They are compiled with everything else
# so that none rots.

function(limpet_program name source)
  add_executable(${name} ${source})
  target_compile_definitions(${name} PRIVATE _DEFAULT_SOURCE)
  target_compile_options(${name} PRIVATE ${LIMPET_WARNINGS})
  target_link_libraries(${name} PRIVATE limpet_static)
endfunction()

file(GLOB LIMPET_BENCHMARKS CONFIGURE_DEPENDS benchmarks/bench_*.c)
foreach(source ${LIMPET_BENCHMARKS})
  get_filename_component(name ${source} NAME_WE)
  limpet_program(${name} ${source})
  target_include_directories(${name} PRIVATE src)
endforeach()

file(GLOB LIMPET_SCENE_SUPPORT CONFIGURE_DEPENDS scenes/support/*.c)
file(GLOB LIMPET_SCENE_MAKERS CONFIGURE_DEPENDS scenes/*/make_*.c)
foreach(source ${LIMPET_SCENE_MAKERS})
  get_filename_component(name ${source} NAME_WE)
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(scene ${folder} NAME)
  limpet_program(${scene}_${name} ${source})
  target_sources(${scene}_${name} PRIVATE ${LIMPET_SCENE_SUPPORT})
  target_include_directories(${scene}_${name} PRIVATE scenes/support)
endforeach()
