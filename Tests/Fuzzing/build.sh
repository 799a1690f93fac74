#!/usr/bin/env bash
# Builds calotype-fuzz: all of Swift and C in the package with libFuzzer's coverage and AddressSanitizer.
#
# SwiftPM's own --sanitize=fuzzer and --sanitize=address lose the coverage when both are given; as one option for
# the compiler they do not. lld, because gold stops at objects with this much debug information.
set -euo pipefail
cd "$(dirname "$0")"
# A plan that was made does not notice new files of the package around this one.
rm -f .build/release.yaml
swift build -c release --product calotype-fuzz --jobs "${JOBS:-2}" \
  -Xswiftc -enable-testing -Xswiftc -sanitize=fuzzer,address -Xswiftc -use-ld=lld \
  -Xcc -fsanitize=fuzzer-no-link,address
