#!/usr/bin/env bash
# Runs the tests that were built, in three groups, and tells every failure again at the end.
#
#   Tests/run.sh -c release --scratch-path .build-test     the flags with which they were built
#
# A few tests at a time, and apart those that compute and those that go by the clock: tests that wait for servers must not
# starve behind the former, nor the latter behind anything.
#
# Terminals, servers and signals are real, and machines have other things to do: where at most four tests fail, and nothing
# crashed, those are run again, alone. They have to pass then, and what failed is told all the same.
set -ufo pipefail
computing='^(CalotypeImagingTests|FuzzTargets)\.'
timed='^CalotypeDisplayTests\.PlaybackTimingTests'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The issues of a run, each with the lines that explain it, and crashes, which have lines of their own.
failures() {
  grep -A 3 -E 'recorded an issue|Fatal error|error: |unexpected signal' "$1" | cut -c 1-400 | tail -n 60
  grep -E '^✘' "$1" | grep -v 'recorded an issue' | tail -n 20
}

# The filter for the tests that failed in a report, unless there are more than four.
failing() {
  python3 - "$1" <<'END'
import re, sys, xml.etree.ElementTree as tree
failed = {
    f"{case.get('classname')}/{case.get('name')}"
    for case in tree.parse(sys.argv[1]).iter("testcase") if case.find("failure") is not None
}
if not 0 < len(failed) <= 4:
    sys.exit(1)
print("|".join("^" + re.escape(name).replace(r"\.", "[./]") + "(/|$)" for name in sorted(failed)))
END
}

once() { # log, arguments…
  local log=$1
  shift
  swift test --skip-build --disable-xctest --xunit-output "$log.xml" "$@" 2>&1 | tee "$log"
  return "${PIPESTATUS[0]}"
}

failed=0
group() { # name, selection, flags…
  local name=$1 selection=$2 again
  shift 2
  # shellcheck disable=SC2086
  once "$folder/$name" "$@" --experimental-maximum-parallelization-width 4 $selection && return
  failures "$folder/$name" >"$folder/$name.failures"
  # A crash leaves no report.
  if again=$(failing "$folder/$name.xml") 2>/dev/null; then
    once "$folder/$name.again" "$@" --experimental-maximum-parallelization-width 1 --filter "$again" \
      && [ "$(grep -c '<testcase ' "$folder/$name.again.xml")" -ge "$(grep -o '|^' <<<"|$again" | wc -l)" ] \
      && { mv "$folder/$name.failures" "$folder/$name.unsteady"; return; }
    failures "$folder/$name.again" >>"$folder/$name.failures"
  fi
  failed=1
}
group waiting "--skip $computing --skip $timed" "$@"
group computing "--filter $computing" "$@"
group timed "--filter $timed" "$@"

for log in "$folder"/{waiting,computing,timed}.{unsteady,failures}; do
  [ -e "$log" ] || continue
  case $log in
    *.unsteady) printf '\nFailed once, and not again:\n' ;;
    *) printf '\nFailed:\n' ;;
  esac
  cat "$log"
done >&2
exit "$failed"
