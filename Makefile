# The project's commands. Each installs what it needs (tools/setup.sh); CMake does the work.

PREFIX ?= /usr/local

.PHONY: help run view docs python lab test soak fuzz bench format install package clean

help:
	@echo 'make run      build, simulate 60 rings that fall over posts: out/rings.mp4, out/rings.glb'
	@echo 'make view     build the viewer, a page with the engine in it, and serve it to this machine'
	@echo 'make docs     the manual as a site: out/docs/index.html'
	@echo 'make lab      the documents'"'"' experiments again, as a report with plots: out/lab/index.html'
	@echo 'make python   build and test the wheel of the module for Python'
	@echo 'make test     build and run every test: release, sanitizers, WebAssembly, packaging'
	@echo 'make soak     the random tests of pair queries in full: a million pairs of each class; all scenes and stacks'
	@echo 'make fuzz     libFuzzer on all that takes data from outside, and on calls to worlds: FUZZ_SECONDS=60 each'
	@echo 'make bench    the scoreboard: speed and truth beside other engines: out/bench/index.html; BENCH=full for more'
	@echo 'make format   put the source into the format that the tests ask for'
	@echo 'make install  install headers, library, command, CMake package and pkg-config file to PREFIX'
	@echo 'make package  the same as a Debian package and an archive: build/packages'
	@echo 'make clean    remove build and out'

run:
	@tools/setup.sh run
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target sudar_cli
	@mkdir -p out
	@build/release/cli/sudar run rings --threads 0 --fps 30 --width 960 --height 540 \
	    --video out/rings.mp4 --glb out/rings.glb
	@echo
	@echo 'Next: look at out/rings.mp4; open out/rings.glb in Blender or a browser;'
	@echo '      build/release/cli/sudar scenes      lists what else there is to run'
	@echo '      build/release/cli/sudar help run    says what can be changed and written'
	@echo '      examples/hello.c                    is the first program'

view:
	@tools/setup.sh view
	@cmake --preset wasm >/dev/null
	@tools/page.sh
	@node web/serve.mjs

docs:
	@tools/setup.sh docs
	@/usr/bin/python3 tools/docs.py

lab:
	@tools/setup.sh lab
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target sudar_cli
	@build/release/cli/sudar lab $(LAB)

python:
	@tools/setup.sh python
	@tools/check_python.sh

test:
	@tools/setup.sh test
	@tools/test.sh

soak:
	@tools/setup.sh soak
	@tools/soak.sh

fuzz:
	@tools/setup.sh fuzz
	@tools/fuzz.sh

bench:
	@tools/setup.sh bench
	@tools/bench.sh

format:
	@tools/setup.sh format
	@git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format -i

install:
	@tools/setup.sh install
	@cmake -S . -B build/install -G Ninja -DCMAKE_BUILD_TYPE=Release \
	    -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DSUDAR_TESTS=OFF -DSUDAR_EXAMPLES=OFF >/dev/null
	@cmake --build build/install
	@cmake --install build/install

package:
	@tools/setup.sh package
	@cmake -S . -B build/install -G Ninja -DCMAKE_BUILD_TYPE=Release \
	    -DSUDAR_TESTS=OFF -DSUDAR_EXAMPLES=OFF >/dev/null
	@cmake --build build/install
	@cd build/install && cpack -B ../packages

clean:
	rm -rf build out
