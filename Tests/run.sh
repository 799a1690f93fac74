#!/usr/bin/env bash
# Runs the tests that were built, in three groups, and tells every failure again at the end.
#
#   Tests/run.sh -c release --scratch-path .build-test     the flags with which they were built
#
# A few tests at a time, and apart those that compute and those that go by the clock: tests that wait for servers must not
# starve behind the former, nor the latter behind anything.
#
# Terminals, servers and signals are real, and machines have other things to do: where at most two issues are recorded, and
# nothing crashed, the group is run again. It has to pass then, and what failed is told all the same.
set -uo pipefail
computing='^(CalotypeImagingTests|FuzzTargets)\.'
timed='^CalotypeDisplayTests\.PlaybackTimingTests'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The issues of a run, each with the lines that explain it, and crashes, which have lines of their own.
failures() {
  grep -A 3 -E 'recorded an issue|Fatal error|error: |unexpected signal' "$1" | cut -c 1-400 | tail -n 60
  grep -E '^✘' "$1" | grep -v 'recorded an issue' | tail -n 20
}

once() { # log, arguments…
  local log=$1
  shift
  swift test --skip-build --disable-xctest --experimental-maximum-parallelization-width 4 "$@" 2>&1 | tee "$log"
  return "${PIPESTATUS[0]}"
}

failed=0
group() { # name, arguments…
  local name=$1
  shift
  once "$folder/$name" "$@" && return
  failures "$folder/$name" >"$folder/$name.failures"
  if grep -qE '^✘ Test run with .* failed after .* with [12] issues?\.' "$folder/$name"; then
    once "$folder/$name.again" "$@" && { mv "$folder/$name.failures" "$folder/$name.unsteady"; return; }
    failures "$folder/$name.again" >>"$folder/$name.failures"
  fi
  failed=1
}
group waiting "$@" --skip "$computing" --skip "$timed"
group computing "$@" --filter "$computing"
group timed "$@" --filter "$timed"

for log in "$folder"/*.unsteady "$folder"/*.failures; do
  [ -e "$log" ] || continue
  case $log in
    *.unsteady) printf '\nFailed once, and not again:\n' ;;
    *) printf '\nFailed:\n' ;;
  esac
  cat "$log"
done >&2
exit "$failed"
