# Calotype. `make help` lists the targets.

.DEFAULT_GOAL := help
.PHONY: help run build test tsan asan bench lint format docs clean deps test-deps

JOBS ?= 2
SWIFT_BUILD = swift build -c release --jobs $(JOBS) --static-swift-stdlib
URL ?=
OUT ?= thumbnails

help: ## This list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 8

deps:
	@.ci/install

test-deps:
	@.ci/install test

build: deps ## The command, for release: .build/release/calotype
	$(SWIFT_BUILD) --product calotype

run: deps ## Thumbnails of the sample photos from a server on loopback, or of URL=https://…
	$(SWIFT_BUILD) --product calotype
	$(if $(URL),,$(SWIFT_BUILD) --product PhotoServer)
	@Examples/run.sh "$(OUT)" $(URL)

test: test-deps ## Builds and runs every test
	swift build --build-tests --jobs $(JOBS) -c release -Xswiftc -enable-testing --scratch-path .build-test
	swift test --skip-build -c release -Xswiftc -enable-testing --scratch-path .build-test

tsan: test-deps ## The tests under ThreadSanitizer
	swift build --build-tests --jobs $(JOBS) --sanitize=thread -Xswiftc -DTSAN --scratch-path .build-tsan
	TSAN_OPTIONS=halt_on_error=0 swift test --skip-build --sanitize=thread -Xswiftc -DTSAN --scratch-path .build-tsan

asan: test-deps ## The tests under AddressSanitizer
	swift build --build-tests --jobs $(JOBS) --sanitize=address --scratch-path .build-asan
	swift test --skip-build --sanitize=address --scratch-path .build-asan

bench: ## Benchmarks against named peers, as CPU-time ratios
	@.ci/install bench
	swift run --package-path Benchmarks -c release --jobs $(JOBS) calotype-benchmarks

lint: ## swift-format, strict
	swift format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks Examples

format: ## Formats all Swift sources
	swift format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks Examples

docs: deps ## The documentation, as a static site in docs/
	@DocC/build.sh docs

clean: ## Removes everything that was built
	rm -rf .build .build-test .build-tsan .build-asan Benchmarks/.build docs thumbnails
