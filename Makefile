# `make` shows what there is. Everything works on a fresh Debian or Ubuntu with only a Swift toolchain.

SWIFT ?= swift
export SWIFT

.PHONY: help setup build test laws stress imports torture faults sanitize fuzz lint apple format demo examples docs install uninstall \
	test-install test-browser test-portable test-postgresql bench compare-swift-syntax clean

help:
	@echo "make demo     build the tool and import, update, query and export Examples/Heroes"
	@echo "make install  install the tool, its manual and completions; PREFIX=/usr/local and DESTDIR= change where"
	@echo "make uninstall   remove them again"
	@echo "make test     run every test"
	@echo "make laws     run the property tests with all their cases, of which make test runs a part"
	@echo "make stress   a million random operations by several contexts on one store; STRESS_OPERATIONS and STRESS_SEED change that"
	@echo "make imports  imports of the same data by up to 8 processes at once, 30 times over; GRAFT_ROUNDS changes that"
	@echo "make torture  kill the tool at random moments for an hour; TORTURE_SECONDS and TORTURE_SEED change that"
	@echo "make faults   let each operation of the disk fail, one after the other, under stores and under the tool"
	@echo "make sanitize run the tests with a sanitizer; SANITIZER=thread and FILTER=StressTests change that"
	@echo "make fuzz     run libFuzzer over every reader; TARGET=json, SECONDS=600 and INPUTS=1000000 change that"
	@echo "make build    build the libraries and the tool (debug)"
	@echo "make lint     check the formatting and that our code builds without warnings"
	@echo "make apple    check that Graft compiles against Apple's Core Data, by declarations of its API"
	@echo "make test-portable   run Graft's tests on the way round that it takes on Apple's platforms"
	@echo "make test-postgresql   start a PostgreSQL server and run the tests that all stores share on it"
	@echo "make format   format every Swift file"
	@echo "make examples build and run the examples that are packages of their own"
	@echo "make docs     make the documentation of Graft and CoreData with DocC"
	@echo "make test-install   install into a system without Swift, made by debootstrap, and use the tool there (as root)"
	@echo "make test-browser   open our pages in Chromium, by keyboard too; its pictures stay in .build/screenshots"
	@echo "make bench    run the benchmarks; BENCH=import runs one, BENCH=help lists them"
	@echo "make compare-swift-syntax   hold the plugin's scanner against SwiftSyntax (builds SwiftSyntax)"
	@echo "make clean    delete everything that was built"

setup:
	@scripts/setup

build: setup
	@scripts/build

test: setup
	@scripts/test

laws: setup
	LAWS=all scripts/test $(if $(FILTER),--filter $(FILTER))

stress: setup
	STRESS_OPERATIONS=$${STRESS_OPERATIONS:-1000000} scripts/test --filter StressTests

imports: setup
	GRAFT_ROUNDS=$${GRAFT_ROUNDS:-30} scripts/test --filter ConcurrentImportTests

torture: setup
	TORTURE_SECONDS=$${TORTURE_SECONDS:-3600} scripts/test --filter TortureTests

faults: setup
	FAULTS=all scripts/test --filter FaultTests

sanitize: setup
	@scripts/sanitize $(or $(SANITIZER),address) $(if $(FILTER),--filter $(FILTER))

fuzz: setup
	@scripts/fuzz $(or $(TARGET),all) $(or $(SECONDS),60) $(or $(INPUTS),10000000)

lint: setup
	@scripts/lint

apple: setup
	@scripts/check-apple

test-portable: setup
	@scripts/test-portable

test-postgresql: setup
	@scripts/test-postgresql

format:
	$(SWIFT) format --in-place --parallel --recursive .

demo: setup
	@scripts/demo

examples: setup
	@scripts/examples

docs: setup
	@scripts/docs

install:
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install

uninstall:
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install uninstall

test-install:
	@scripts/test-install

test-browser: setup
	@command -v chromium >/dev/null || echo 'Chromium is missing (apt-get install chromium): its tests are skipped.'
	@command -v dot >/dev/null || echo 'Graphviz is missing (apt-get install graphviz): the tests of diagrams are skipped.'
	@GRAFT_BROWSER=1 scripts/test --filter PageInBrowserTests

bench: setup
	@case ' $(BENCH) ' in *' limit '*) scripts/limit ;; *' postgresql '*) scripts/setup postgresql ;; esac
	$(if $(filter postgresql,$(BENCH)),scripts/with-postgresql )$(SWIFT) run -c release $(if $(filter postgresql,$(BENCH)),--traits PostgreSQL )--package-path Benchmarks Benchmarks $(BENCH)

# On our sources and those of all dependencies, SwiftSyntax's own among them.
compare-swift-syntax: setup
	$(SWIFT) run --package-path SourceComparison SourceComparison \
		Sources Tests Examples .build/checkouts SourceComparison/.build/checkouts

clean:
	rm -rf .build Benchmarks/.build SourceComparison/.build Fuzzing/.build
