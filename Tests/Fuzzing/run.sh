#!/usr/bin/env bash
# Fuzzes for a time: one target, or each of all.
#
#   Tests/Fuzzing/run.sh TARGET|all SECONDS [libFuzzer options]
#
# Starts from Corpus/TARGET and from the test images; what it finds of interest goes to .build/corpus/TARGET and is
# used next time. Inputs that break something are kept in Tests/Fixtures/Crashers/TARGET, where `make test` replays
# them: mend what is broken and commit both.
set -euo pipefail
cd "$(dirname "$0")"
program=${FUZZ_PROGRAM:-.build/release/calotype-fuzz}
target=$1 seconds=$2
shift 2

if [ "$target" = all ]; then
  failed=()
  for each in $("$program" --list); do ./run.sh "$each" "$seconds" "$@" || failed+=("$each"); done
  [ ${#failed[@]} -eq 0 ] || { echo "found something: ${failed[*]}" >&2; exit 1; }
  exit
fi

corpus=.build/corpus/$target seeds=.build/seeds/$target found=.build/found/$target
crashers=../Fixtures/Crashers/$target
mkdir -p "$corpus" "$found" "Corpus/$target"
[ -d "$seeds" ] || ./seed.sh "$target" "$seeds"
status=0
# Encoders take megabytes for tables, whatever the picture: filling them would be all that happens.
fill=$((1 << 26))
[ "$target" = encode ] && fill=4096
# Swift's own crash report would come before libFuzzer can keep the input. Fresh memory is never zero, so that pixels
# nobody wrote are seen. No single allocation is as large as 64 MiB with the limits that the targets set. Leaks show
# as growth up to the limit only: LeakSanitizer does not know pointers with the tag bits of Swift's enums, and takes
# what the cache of colour conversions holds for lost.
SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0:max_malloc_fill_size=$fill:detect_stack_use_after_return=0 \
  "$program" "$target" -max_total_time="$seconds" -rss_limit_mb=2048 -malloc_limit_mb=64 -timeout=10 -detect_leaks=0 \
  -max_len=32768 -print_final_stats=1 -artifact_prefix="$found/" "$@" "$corpus" "Corpus/$target" "$seeds" \
  >"$found/log" 2>&1 || status=$?
for file in "$found"/{crash,leak,timeout,oom}-*; do
  [ -e "$file" ] || continue
  mkdir -p "$crashers"
  mv "$file" "$crashers/"
  echo "$target: kept $(basename "$file")"
done
printf '%s: %s\n' "$target" "$(awk '/^stat::(number_of_executed|average_exec)/ { printf "%s %s  ", $1, $2 }' "$found/log")"
[ "$status" -eq 0 ] || { grep -v '^#' "$found/log" | tail -n 40 >&2; exit 1; }
