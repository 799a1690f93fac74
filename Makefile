# Calotype. `make help` lists the targets.

.DEFAULT_GOAL := help
.PHONY: help run build test server serve bench-server soak-server tsan asan bench bench-bytes soak hostile mutants tiers cluster results bench-against instructions coverage fuzz fuzz-libraries damage snippets lint format map api neighbours docs clean deps \
  run-deps test-deps

JOBS ?= 2
# C is compiled with stack protectors and fortified calls, and programs are linked with relocations that are read-only
# once they run, and without looking for libraries beside themselves.
C_HARDENING = -Xcc -U_FORTIFY_SOURCE -Xcc -D_FORTIFY_SOURCE=3 -Xcc -fstack-protector-strong
HARDENING = $(C_HARDENING) --disable-local-rpath \
  -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now
SWIFT_BUILD = swift build -c release --jobs $(JOBS) --static-swift-stdlib $(HARDENING)
BUILT = .build/release
# Benchmarks have the formats of all traits.
BENCH_BUILD = $(SWIFT_BUILD) --enable-all-traits --scratch-path .build-bench
BENCH_BUILT = .build-bench/release
# The programs of Benchmarks/ are targets of the package then, and share what the command is made of.
export CALOTYPE_BENCHMARKS = 1
# Takes minutes the first time.
BENCH_PEER = $(SWIFT_BUILD) --package-path Benchmarks/Peers/AsyncHTTPClient
# Optimised, because decoders are slow without. C is compiled as in programs, but where a sanitizer looks at its calls.
SANITIZED_FLAGS = -c release -Xswiftc -enable-testing --enable-all-traits
TEST_FLAGS = $(SANITIZED_FLAGS) $(C_HARDENING)
URL ?=
OUT ?= thumbnails
TARGET ?= all
NAME ?=
SECONDS ?= 60
RUNS ?= 200
EXECUTIONS ?= 1000000
DOWNLOADS ?= 10000
KILLS ?= 2000
COUNT ?= 1000
ROUNDS ?= 3
REV ?=
FILES_OF ?=
FILES ?= 100000
FOLDER ?=
PORT ?= 8080

help: ## This list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 8

deps:
	@.ci/install

run-deps:
	@.ci/install run

test-deps:
	@.ci/install test

build: deps ## The command, for release: .build/release/calotype
	$(SWIFT_BUILD) --product calotype
	@Tests/hardening.sh .build/release/calotype

run: run-deps ## Thumbnails of the sample photos from a server on loopback, or of URL=https://…
	$(SWIFT_BUILD) --product calotype
	@Examples/run.sh "$(OUT)" $(URL)

test: test-deps ## Builds and runs every test, the documentation and its snippets, and 15 s of a server's load
	@.ci/together \
	  "swift build --target CalotypeImaging --jobs $(JOBS) --disable-default-traits --scratch-path .build-plain \
	    && swift build --build-tests --jobs $(JOBS) $(TEST_FLAGS) --scratch-path .build-test" \
	  "CALOTYPE_EXAMPLES=1 swift build --package-path Server --build-tests --jobs $(JOBS)"
	@.ci/api.py --check .build-test/release
	@.ci/docs.py .build-test/release
	DocC/build.sh docs / .build-test/release
	Tests/snippets.py --self-test .build-test/release
	Tests/snippets.py .build-test/release
	@Tests/run.sh $(TEST_FLAGS) --scratch-path .build-test
	Tests/instructions.py .build-test/release/calotype-benchmarks
	Tests/without-libraries.sh .build-test/release/calotype
	python3 Tests/Hostile/hostile_images.py --count 2 --seconds 10 .build-test/release/calotype
	python3 Tests/Hostile/mutants.py --count 2000 .build-test/release/calotype
	$(MAKE) server
	.build-test/release/calotype-soak server --seconds 15 --burst 1000 --canary 3000

# Not optimised: their pictures are small.
server: export CALOTYPE_EXAMPLES = 1
server: test-deps ## Builds and tests the image server in Server/, and the example of a server
	swift build --package-path Server --build-tests --jobs $(JOBS)
	swift test --package-path Server --skip-build --disable-xctest
	Server/test.sh Server/.build/debug/calotype-server
	.ci/install operation
	Server/Deploy/test.sh Server/.build/debug/calotype-server
	PROGRAM=$(CURDIR)/Server/.build/debug/ThumbnailServer Examples/ThumbnailServer/test.sh

serve: test-deps ## Builds the image server, starts it on the sample photos, and prints three URLs to try; PORT=8080
	swift build -c release --package-path Server --jobs $(JOBS) --product calotype-server
	@Server/serve.sh Server/.build/release/calotype-server Examples/Photos $(PORT)

bench-server: export CALOTYPE_EXAMPLES = 1
bench-server: test-deps ## The image server beside libvips, thumbor and a server that only sends; NAME=misses for one benchmark
	$(SWIFT_BUILD) --package-path Server --product calotype-server
	$(SWIFT_BUILD) --package-path Server --product bare-server
	Server/Benchmarks/run.sh Server/.build/release $(NAME)

soak-server: export CALOTYPE_EXAMPLES = 1
soak-server: test-deps ## 50,000 mixed requests to the image server, and 200 kills, with an origin that fails; thumbnails beside vipsthumbnail
	$(SWIFT_BUILD) --package-path Server --product calotype-server
	Server/Benchmarks/run.sh Server/.build/release geometry soak

# Optimised, because the imaging tests take hours otherwise. Copies of collections that the optimiser leaves out are races
# to ThreadSanitizer, which does not see the reference counts that order them: the test helpers have such copies.
tsan: export TSAN_OPTIONS = halt_on_error=0 handle_segv=0 suppressions=$(CURDIR)/Tests/tsan.supp
tsan: test-deps ## The tests under ThreadSanitizer
	swift build --build-tests --jobs $(JOBS) $(SANITIZED_FLAGS) --sanitize=thread --scratch-path .build-tsan
	@Tests/run.sh $(SANITIZED_FLAGS) --sanitize=thread --scratch-path .build-tsan

# Without LeakSanitizer: it does not know pointers that carry the tag of an enum in their spare bits, such as those to
# the storage of Data, and takes what globals hold for lost.
asan: export ASAN_OPTIONS = detect_leaks=0
asan: test-deps ## The tests under AddressSanitizer
	swift build --build-tests --jobs $(JOBS) $(SANITIZED_FLAGS) --sanitize=address --scratch-path .build-asan
	@Tests/run.sh $(SANITIZED_FLAGS) --sanitize=address --scratch-path .build-asan

bench: test-deps ## Benchmarks against named peers, as ratios of CPU time; NAME=png for those whose names start so
	@.ci/install bench || echo "not everything could be installed: what is missing will be skipped" >&2
	$(BENCH_BUILD)
	$(if $(filter loading%,$(or $(NAME),loading)),@$(BENCH_PEER) || echo "no AsyncHTTPClient: the benchmarks against it will be skipped" >&2)
	$(BENCH_BUILT)/calotype-benchmarks $(NAME)
	$(if $(NAME),,CALOTYPE_SIMD=128 $(BENCH_BUILT)/calotype-benchmarks resize)

results: export CALOTYPE_BENCHMARKS = 1
results: test-deps ## Every comparison, with its peers in the same run, into Benchmarks/RESULTS.md and its plots; ROUNDS=3
	@.ci/install bench || echo "not everything could be installed: what is missing will be named" >&2
	$(BENCH_BUILD)
	@$(BENCH_PEER) || echo "no AsyncHTTPClient: the rows against it will say so" >&2
	Benchmarks/results.py --rounds $(ROUNDS) $(BENCH_BUILT)

bench-against: test-deps ## This state and an earlier one, REV=main~1, in turns; NAME=png for those whose names start so
	@test -n "$(REV)" || { echo "REV=… names the earlier state" >&2; exit 2; }
	$(BENCH_BUILD) --product calotype-benchmarks
	git worktree add --force --detach .build-against/$(REV) $(REV)
	$(SWIFT_BUILD) --enable-all-traits --package-path .build-against/$(REV) --product calotype-benchmarks
	$(BENCH_BUILT)/calotype-benchmarks --beside .build-against/$(REV)/.build/release/calotype-benchmarks $(NAME)
	git worktree remove --force .build-against/$(REV)

instructions: ## Counts instructions of pieces of work, which do not depend on the machine, beside those on record
	Tests/instructions.py .build-test/release/calotype-benchmarks

coverage: test-deps ## Line coverage of the tests by module; FILES_OF=CalotypeImaging for its files
	swift build --build-tests --jobs $(JOBS) $(TEST_FLAGS) --enable-code-coverage --scratch-path .build-coverage
	Tests/coverage.py .build-coverage $(if $(FILES_OF),--files $(FILES_OF))

tiers: deps ## Nodes over a shared bucket and Redis on a virtual clock, with every fault
	$(SWIFT_BUILD) --product TiersSimulation
	$(BUILT)/TiersSimulation

cluster: export CALOTYPE_EXAMPLES = 1
cluster: test-deps ## Three image servers, Redis and a bucket on loopback, of which one part after the other fails; needs moto (pip install 'moto[server]')
	$(SWIFT_BUILD) --package-path Server --product calotype-server
	Server/Cluster/cluster.py Server/.build/release/calotype-server

bench-bytes: ## Bytes at equal quality, beside other encoders; NAME=jpeg for one format
	@Benchmarks/Bytes/pictures.py
	@Benchmarks/Bytes/run.py $(NAME)

soak: test-deps ## Long runs: RUNS=200 of 2,000 transfers over HTTP/2, DOWNLOADS=10000 of which some go wrong, KILLS=2000 of cache writers, SECONDS=60 of a server's load
	$(SWIFT_BUILD) --product calotype-soak
	$(BUILT)/calotype-soak http2 --runs $(RUNS)
	$(BUILT)/calotype-soak faults --downloads $(DOWNLOADS)
	$(BUILT)/calotype-soak exits --runs $(RUNS)
	$(BUILT)/calotype-soak cache-sharing --seconds $(SECONDS)
	$(BUILT)/calotype-soak cache-kills --kills $(KILLS)
	$(BUILT)/calotype-soak server --seconds $(SECONDS)
	$(BUILT)/calotype-soak server --seconds $(SECONDS) --control-group

hostile: build ## COUNT=1000 images of each kind that ask for much work or memory, through the command, within 2 s and 256 MiB each
	python3 Tests/Hostile/hostile_images.py --count $(COUNT) --keep hostile-images .build/release/calotype

mutants: build ## FILES=100000 images changed at random, in guarded memory that is full of one byte, then of another
	python3 Tests/Hostile/mutants.py --count $(FILES) .build/release/calotype

fuzz: deps ## libFuzzer with AddressSanitizer, SECONDS=60 for each target; TARGET=png for one
	@Tests/Fuzzing/build.sh
	@Tests/Fuzzing/run.sh $(TARGET) $(SECONDS)

damage: test-deps ## FILES=100000 JPEGs damaged at random, beside libjpeg-turbo; FOLDER=… for JPEGs to damage besides those of the tests
	swift build --build-tests --jobs $(JOBS) $(TEST_FLAGS) --scratch-path .build-test
	CALOTYPE_DAMAGED_FILES=$(FILES) CALOTYPE_DAMAGED_FOLDER=$(FOLDER) \
	  swift test --skip-build --disable-xctest $(TEST_FLAGS) --scratch-path .build-test --filter DamagedJPEGTests --attachments-path damaged-images

fuzz-libraries: deps ## JPEG, PNG and GIF against the libraries that decode them, EXECUTIONS=1000000 inputs each
	@Tests/Fuzzing/build.sh
	@for format in jpeg png gif; do Tests/Fuzzing/run.sh $$format-libraries 0 -runs=$(EXECUTIONS) || exit 1; done

snippets: test-deps ## Compiles the Swift of all documents and documentation comments, and runs their commands
	swift build --build-tests --jobs $(JOBS) $(TEST_FLAGS) --scratch-path .build-test
	CALOTYPE_EXAMPLES=1 swift build --package-path Server --build-tests --jobs $(JOBS)
	Tests/snippets.py --self-test .build-test/release
	Tests/snippets.py .build-test/release

lint: ## swift-format, strict; cycles of folders and files; whether the map and the table of errors are those of the code
	swift format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks Examples Server
	@.ci/map.py --check
	@.ci/errors.py --check

format: ## Formats all Swift sources
	swift format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks Examples Server

map: ## Draws targets and folders with their arrows into the documentation, from the code
	@.ci/map.py

api: deps ## Writes the public interface of each module into API/, and counts the names at the top
	for target in CalotypeTestKit CalotypeObservability CalotypeLibraryCoders CalotypeTiers CalotypeURLs; do $(SWIFT_BUILD) --target $$target || exit 1; done
	@.ci/api.py .build/release

# Ten minutes the first time: it builds a server.
neighbours: deps ## Compiles a file that imports Calotype beside Hummingbird, NIO and Foundation and names all our types
	@Tests/Neighbours/names.py
	swift build --jobs $(JOBS) --package-path Tests/Neighbours --scratch-path .build-neighbours

docs: deps ## The documentation, as a static site in docs/
	@DocC/build.sh docs

clean: ## Removes everything that was built
	rm -rf .build .build-bench .build-test .build-plain .build-coverage .build-against .build-tsan .build-asan .build-neighbours Benchmarks/.build Benchmarks/Peers/AsyncHTTPClient/.build Tests/Fuzzing/.build Examples/ThumbnailServer/.build Server/.build \
	  docs thumbnails hostile-images mutants damaged-images
