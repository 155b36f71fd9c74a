# Benchmarks: one program for each benchmarks/bench_*.c, compiled with everything else so that none rots, run by `make bench`.

file(GLOB LIMPET_BENCHMARKS CONFIGURE_DEPENDS benchmarks/bench_*.c)
foreach(source ${LIMPET_BENCHMARKS})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_compile_definitions(${name} PRIVATE _DEFAULT_SOURCE)
  target_compile_options(${name} PRIVATE ${LIMPET_WARNINGS})
  target_include_directories(${name} PRIVATE src)
  target_link_libraries(${name} PRIVATE limpet_static)
endforeach()
