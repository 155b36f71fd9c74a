# The two commands that a newcomer needs, `make run` and `make test`, and some more. All of it is
# done by CMake presets and tools/.

# As users build: warnings of the compiler stay warnings. The presets, which developers and `make
# test` use, make them errors.
CONFIGURE = cmake -S . -B build/release -G Ninja -DCMAKE_BUILD_TYPE=Release

.PHONY: help run run-python wheel test bench fuzz studies tables docs format build install-dependencies
help:
	@echo "make run      simulate the ALOHA robot that picks up a cube; ends with out/aloha.html"
	@echo "make run-python  the same from Python: installs the package in build/python-venv"
	@echo "make wheel    the Python package as a file for pip in dist/, checked in a fresh environment"
	@echo "make test     run every test and check"
	@echo "make bench    measure the time of a step"
	@echo "make fuzz SECONDS=600  coverage-guided fuzzing of each reader for that long"
	@echo "make studies  examples of the papers: check their numbers, draw their figures, refresh docs/studies"
	@echo "make tables   measure the tables of README and docs again and write them there; on a quiet machine"
	@echo "make docs     HTML documentation in build/docs"
	@echo "make build    the library, the command, tests and benchmarks in build/release"
	@echo "make format   clang-format on all C files"
	@echo "run, test, bench, fuzz and docs install missing Debian packages first (as root; otherwise they say what to install)"

install-dependencies:
	@tools/install_dependencies.sh

build: install-dependencies
	$(CONFIGURE)
	cmake --build build/release

run: install-dependencies
	$(CONFIGURE)
	cmake --build build/release --target limpet_command
	python3 tools/run_aloha.py

run-python: install-dependencies
	tools/run_python.sh

wheel: install-dependencies
	tools/make_wheel.sh

test: install-dependencies
	python3 tools/run_tests.py

bench: build
	@set -e; for program in build/release/bench_*; do if [ -x "$$program" ]; then echo "== $$program"; "$$program"; fi; done
	build/release/limpet bench

# clang with libFuzzer, llvm for coverage; 60 s a reader unless SECONDS says otherwise
SECONDS = 60
fuzz:
	@tools/install_dependencies.sh --fuzz
	python3 tools/fuzz.py --seconds $(SECONDS)

studies: build
	python3 tools/run_studies.py --budget 30

# some of them: python3 tools/measure_tables.py NAME ...; are they still true: --check
tables: build
	python3 tools/measure_tables.py

docs: build
	tools/build_docs.sh
	python3 tools/make_gallery.py build/release/limpet docs/gallery.md build/docs/gallery

format:
	tools/check_format.sh --fix
