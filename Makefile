# `make demo` and `make test` are all that a fresh clone needs. Every target sets itself up.

SWIFT ?= swift
SWIFT_SOURCES = Package.swift Sources Tests Examples/Atlas Examples/Board/Package.swift Examples/Board/Sources \
  Examples/Board/Tests Benchmarks/Package.swift Benchmarks/Sources

.PHONY: help demo board board-test test test-thread test-address test-undefined fuzz torture coverage mutation \
  lint docs docs-serve bench bench-large bench-instructions format clean setup
.NOTPARALLEL:

help:
	@echo "make demo        put every Unicode character into an encrypted file, and query it"
	@echo "make board       serve a task board on localhost (PORT=8080): a web server on MiniORM (4 minutes to build)"
	@echo "make board-test  run its tests"
	@echo "make test        run the tests, and say how many ran"
	@echo "make test-thread run the tests of concurrency under ThreadSanitizer (builds everything anew)"
	@echo "make test-address run the tests under AddressSanitizer and LeakSanitizer (builds everything anew)"
	@echo "make test-undefined run the tests with UndefinedBehaviorSanitizer in the C functions (builds everything anew)"
	@echo "make fuzz        run the targets of libFuzzer (SECONDS=30 for each; 8 minutes to build)"
	@echo "make torture     run the tests with large numbers, for hours, and print their figures"
	@echo "make coverage    run the tests, and say which lines they do not reach and why (builds everything anew)"
	@echo "make mutation    change 200 operators and conditions, and see whether a test notices (an hour or two)"
	@echo "make lint        check formatting, rooms and scripts"
	@echo "make docs        build the documentation into .docs/, and check its code"
	@echo "make docs-serve  the same, served on localhost (PORT=8000, BASE=/MiniORM/)"
	@echo "make bench       compare with a hand-written loop and with GRDB (a release build first: 15 minutes)"
	@echo "make bench-large  a table of 10,000,000 rows, and a schema of 1,000 models (a release build, then minutes)"
	@echo "make bench-instructions  count instructions, which a busy machine does not change (Valgrind)"
	@echo "make format      format the sources"
	@echo "make clean       delete everything that was built"

# SQLCipher and a Swift toolchain. A second run takes a tenth of a second.
setup:
	@command -v $(SWIFT) >/dev/null || { echo "Swift 6.3 or newer is needed: https://www.swift.org/install" >&2; exit 1; }
	@scripts/install-sqlcipher

# A debug build, so that it shares .build with the tests.
demo: setup
	$(SWIFT) run atlas

# A package of its own: the web server is no dependency of MiniORM's users.
board: setup
	BOARD_FILE=$${BOARD_FILE:-Examples/Board/.build/board.db} BOARD_KEY_FILE=$${BOARD_KEY_FILE:-Examples/Board/.build/board.key} \
	  $(SWIFT) run --package-path Examples/Board Board

board-test: setup
	$(SWIFT) test --package-path Examples/Board

test: setup
	@scripts/test

test-thread: setup
	@scripts/test-thread

test-address: setup
	@scripts/test-address

test-undefined: setup
	@scripts/test-undefined

fuzz: setup
	@scripts/fuzz $(or $(SECONDS),30) $(TARGETS)

torture: setup
	@scripts/torture

coverage: setup
	@scripts/coverage

mutation: setup
	@scripts/mutation

lint:
	@scripts/lint

docs: setup
	@scripts/docs $(BASE)

docs-serve: docs
	@scripts/serve .docs $(or $(PORT),8000) $(BASE)

bench: setup
	@scripts/bench

bench-large: setup
	@scripts/bench-large

bench-instructions: setup
	@scripts/bench-instructions

format:
	$(SWIFT) format --in-place --parallel --recursive $(wildcard $(SWIFT_SOURCES))

clean:
	rm -rf .build .build-thread .build-address .build-undefined .build-fuzz .build-coverage .docs \
	  Benchmarks/.build Examples/Board/.build
