# Thin: CMake presets and tools/ do the work. `make help` lists what there is.
.DEFAULT_GOAL := help
SCENE ?= scenes/ring_and_cone.json
PICTURE ?= build/picture.svg
FAMILY ?= all
SECONDS ?= 60
SCALE ?= 10
SMALL ?= 0.15
PREFIX ?= /usr/local

.PHONY: help docs run build test test-browser check lint bench soak fuzz tsan coverage format install clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile

run: ## set up, build the command, find the first contact in a bundled scene (SCENE=file), and draw it (PICTURE=file)
	@tools/setup --build
	cmake --preset release
	cmake --build --preset release --target abut_command
	build/bin/abut info $(SCENE)
	build/bin/abut first $(SCENE)
	build/bin/abut draw $(SCENE) -o $(PICTURE)

build: ## set up and build the command, build/bin/abut, and build/bin/abut_bench
	@tools/setup --build
	cmake --preset release
	cmake --build --preset release

test: ## set up, build, and run all tests and checks, campaigns at a reduced size (SMALL), with sanitizers too
	@tools/setup --test
	cmake --preset dev && cmake --build --preset dev
	cmake --preset asan -DABUT_TEST_OBJECTS=build/dev && cmake --build --preset asan
	ABUT_TEST_SCALE=$(SMALL) ctest --preset dev
	ctest --preset asan

test-browser: ## install a browser and what drives it, and test the page of abut view in it
	@tools/setup --browser
	mkdir -p build/browser && cp test/browser/package.json build/browser/
	cd build/browser && npm install --no-audit --no-fund --no-package-lock
	cmake --preset dev && cmake --build --preset dev --target abut_command
	ctest --preset dev -R '^browser$$'

check: ## build, and run the unit tests: under a minute once built
	@tools/setup --test
	cmake --preset dev && cmake --build --preset dev
	ctest --preset dev -L unit

lint: ## format of all sources, static analysis of the library and the command: clang-tidy, cppcheck
	@tools/setup --test
	tools/check_format
	cmake --preset dev
	tools/check_tidy build/dev
	tools/check_cppcheck build/dev

bench: ## race abut against its peers (FAMILY=interval|convex|mesh|...|all)
	@tools/bench $(FAMILY)

soak: ## the random tests with SCALE times as many cases
	@tools/setup --test
	cmake --preset dev && cmake --build --preset dev
	ABUT_TEST_SCALE=$(SCALE) ctest --preset dev --timeout 36000

fuzz: ## fuzz every parser for SECONDS seconds each
	@tools/setup --test
	tools/fuzz $(SECONDS)

tsan: ## the tests under ThreadSanitizer
	@tools/setup --test
	cmake --preset tsan && cmake --build --preset tsan
	ctest --preset tsan

coverage: ## line coverage of the tests, as text
	@tools/setup --test
	cmake --preset coverage && cmake --build --preset coverage
	ctest --preset coverage
	tools/coverage build/coverage

docs: ## build the documentation site, build/docs/html
	@tools/setup --docs
	cmake --preset release && cmake --build --preset release --target abut_command
	tools/docs build/bin/abut

format: ## format all sources
	@tools/check_format --fix

install: ## set up, build and install below PREFIX (default /usr/local)
	@tools/setup --build
	cmake --preset release -B build/install -DABUT_BENCH=OFF
	cmake --build build/install
	cmake --install build/install --prefix $(PREFIX)

clean: ## remove everything that was built
	rm -rf build
