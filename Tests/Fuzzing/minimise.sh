#!/usr/bin/env bash
# Makes the corpora in Corpus/TARGET anew from what runs have learnt: of the inputs that together reach all that is
# reached, up to COUNT of all lengths and LIMIT bytes. Test images are not repeated: runs start from them anyway.
#
#   Tests/Fuzzing/minimise.sh [TARGET …]
set -euo pipefail
cd "$(dirname "$0")"
program=${FUZZ_PROGRAM:-.build/release/calotype-fuzz}
limit=${LIMIT:-65536} count=${COUNT:-120}
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <("$program" --list)

for target in "${targets[@]}"; do
  merged=$(mktemp -d)
  SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 "$program" "$target" -merge=1 -max_len=4096 -detect_leaks=0 \
    "$merged" "Corpus/$target" ".build/corpus/$target" >/dev/null 2>&1 || true
  rm -rf "Corpus/$target"
  mkdir -p "Corpus/$target"
  total=0
  # Every so many of them, from the shortest on.
  step=$((($(find "$merged" -type f | wc -l) + count - 1) / count))
  [ "$step" -gt 0 ] || step=1
  while read -r size name; do
    total=$((total + size))
    [ $total -le "$limit" ] || break
    cp "$merged/$name" "Corpus/$target/"
  done < <(find "$merged" -type f -printf '%s %f\n' | sort -n | awk -v step="$step" 'NR % step == 0')
  rm -rf "$merged"
  printf '%s: %s inputs\n' "$target" "$(find "Corpus/$target" -type f | wc -l)"
done
