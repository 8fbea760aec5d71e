# `make demo` and `make test` are all that a fresh clone needs. Every target installs its requirements.

SWIFT ?= swift
SWIFT_SOURCES = Package.swift Sources Tests Examples/Atlas Examples/Board/Package.swift Examples/Board/Sources \
  Examples/Board/Tests Benchmarks/Package.swift Benchmarks/Sources

.PHONY: help demo board board-test test test-thread test-address test-undefined fuzz torture coverage mutation \
  lint docs docs-serve bench bench-large bench-instructions format clean setup setup-all
.NOTPARALLEL:

help:
	@echo "make demo               store every Unicode character in an encrypted file, and query it"
	@echo "make board              serve a task board on localhost (PORT=8080): a web server on MiniORM (4 minutes to build)"
	@echo "make board-test         run the tests of the board"
	@echo "make test               run the tests, and print their number"
	@echo "make test-thread        run the concurrency tests under ThreadSanitizer (a build of its own)"
	@echo "make test-address       run the tests under AddressSanitizer and LeakSanitizer (a build of its own)"
	@echo "make test-undefined     run the tests with UndefinedBehaviorSanitizer in the C functions (a build of its own)"
	@echo "make fuzz               run the targets of libFuzzer (SECONDS=30 for each; 8 minutes to build)"
	@echo "make torture            run the randomized tests with large numbers, for hours, and print their figures"
	@echo "make coverage           run the tests, and print the lines that they do not reach (a build of its own)"
	@echo "make mutation           change 200 operators and conditions, and check that a test fails (an hour or two)"
	@echo "make lint               check formatting, prose and scripts"
	@echo "make docs               build the documentation into .docs/, and compile its code"
	@echo "make docs-serve         the same, served on localhost (PORT=8000, BASE=/MiniORM/)"
	@echo "make bench              compare with a hand-written loop and with GRDB (15 minutes to build)"
	@echo "make bench-large        measure a table of 10,000,000 rows, bulk changes, and a schema of 1,000 models (minutes, after a release build)"
	@echo "make bench-instructions count instructions with Valgrind, independent of the machine's load"
	@echo "make format             format the sources"
	@echo "make clean              delete everything that was built"

# SwiftPM and the compiler keep caches in the home folder, and fail without one.
ifeq ($(shell [ -w "$$HOME" ] && echo yes),)
export HOME := $(CURDIR)/.build/home
$(shell mkdir -p "$(CURDIR)/.build/home")
endif

# SQLCipher and a Swift toolchain. A second run takes 0.1 s; setup-all adds libcurl for the store of S3.
setup:
	@command -v $(SWIFT) >/dev/null || { echo "Swift 6.3 or newer is needed: https://www.swift.org/install" >&2; exit 1; }
	@scripts/install-sqlcipher

setup-all: setup
	@scripts/install-libcurl

# A debug build, so that it shares .build with the tests.
demo: setup
	$(SWIFT) run atlas

# A separate package, so that the web server is not a dependency of MiniORM's users.
board: setup
	$(SWIFT) run --package-path Examples/Board Board

board-test: setup
	$(SWIFT) test --package-path Examples/Board

test: setup-all
	@scripts/test

test-thread: setup-all
	@scripts/test-thread

test-address: setup-all
	@scripts/maintainer/test-address

test-undefined: setup-all
	@scripts/maintainer/test-undefined

fuzz: setup
	@scripts/maintainer/fuzz $(or $(SECONDS),30) $(TARGETS)

torture: setup-all
	@scripts/maintainer/torture

coverage: setup-all
	@scripts/maintainer/coverage

mutation: setup-all
	@scripts/maintainer/mutation

lint:
	@scripts/lint

docs: setup-all
	@scripts/docs $(BASE)

docs-serve: docs
	@scripts/serve .docs $(or $(PORT),8000) $(BASE)

bench: setup
	@scripts/bench

bench-large: setup
	@scripts/maintainer/bench-large

bench-instructions: setup
	@scripts/maintainer/bench-instructions

format:
	$(SWIFT) format --in-place --parallel --recursive $(wildcard $(SWIFT_SOURCES))

clean:
	rm -rf .build .build-thread .build-address .build-undefined .build-fuzz .build-coverage .docs \
	  Benchmarks/.build Examples/Board/.build
