#!/usr/bin/env bash
# Makes the corpora in Corpus/TARGET anew from what runs have learnt: for each target the inputs that together reach
# all that is reached, the shortest first, up to a number of bytes. Seeds that are test images are not repeated.
#
#   Tests/Fuzzing/minimise.sh [TARGET …]
set -euo pipefail
cd "$(dirname "$0")"
program=${FUZZ_PROGRAM:-.build/release/calotype-fuzz}
limit=${LIMIT:-32768}
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <("$program" --list)

for target in "${targets[@]}"; do
  merged=$(mktemp -d)
  SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 "$program" "$target" -merge=1 -max_len=4096 -detect_leaks=0 \
    "$merged" "Corpus/$target" ".build/corpus/$target" >/dev/null 2>&1 || true
  rm -rf "Corpus/$target"
  mkdir -p "Corpus/$target"
  total=0
  while read -r size name; do
    total=$((total + size))
    [ $total -le "$limit" ] || break
    cp "$merged/$name" "Corpus/$target/"
  done < <(find "$merged" -type f -printf '%s %f\n' | sort -n)
  rm -rf "$merged"
  printf '%s: %s inputs\n' "$target" "$(find "Corpus/$target" -type f | wc -l)"
done
