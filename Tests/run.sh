#!/usr/bin/env bash
# Runs the tests that were built, in three groups, and tells every failure again at the end.
#
#   Tests/run.sh -c release --scratch-path .build-test     the flags with which they were built
#
# A few tests at a time, and apart those that compute and those that go by the clock: tests that wait for servers must not
# starve behind the former, nor the latter behind anything.
set -uo pipefail
computing='^(CalotypeImagingTests|FuzzTargets)\.'
timed='^CalotypeTests\.PlaybackTimingTests'
log=$(mktemp)
trap 'rm -f "$log"' EXIT

failed=0
run() {
  swift test --skip-build --disable-xctest --experimental-maximum-parallelization-width 4 "$@" 2>&1 | tee -a "$log"
  [ "${PIPESTATUS[0]}" -eq 0 ] || failed=1
}
run "$@" --skip "$computing" --skip "$timed"
run "$@" --filter "$computing"
run "$@" --filter "$timed"

if [ "$failed" -ne 0 ]; then
  printf '\nFailed:\n' >&2
  # An issue and the lines that explain it; crashes have lines of their own.
  { grep -A 3 -E 'recorded an issue|Fatal error|error: |unexpected signal' "$log" | cut -c 1-400 | tail -n 60
    grep -E '^✘' "$log" | grep -v 'recorded an issue' | tail -n 20; } >&2
  exit 1
fi
