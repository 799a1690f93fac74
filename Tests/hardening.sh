#!/usr/bin/env bash
# Checks that a program was linked as `make build` promises: at a random address, with relocations that are read-only once
# it runs, without an executable stack, with fortified calls and stack protectors, and with no folder of its own to look
# for libraries in.
#
#   Tests/hardening.sh PROGRAM
set -euo pipefail
program=$1
failed=0

expect() { # whether it must be there (yes or no), what, pattern, text
  local found=no
  grep -qE "$3" <<<"$4" && found=yes
  [ "$found" = "$1" ] || { echo "$program: $2" >&2; failed=1; }
}

header=$(readelf --wide --file-header "$program")
segments=$(readelf --wide --segments "$program")
dynamic=$(readelf --wide --dynamic "$program")
symbols=$(readelf --wide --dyn-syms "$program")
expect yes "is loaded at a fixed address" 'Type: +DYN' "$header"
expect yes "has relocations that stay writable" 'GNU_RELRO' "$segments"
expect yes "binds its calls when they are made" 'BIND_NOW|FLAGS_1.*NOW' "$dynamic"
expect yes "does not say whether its stack is executable" 'GNU_STACK' "$segments"
expect no "has an executable stack" 'GNU_STACK.* RWE' "$segments"
expect no "has a segment that is writable and executable" 'LOAD.* RWE' "$segments"
expect no "looks for libraries in folders of its own" '\((RPATH|RUNPATH)\)' "$dynamic"
expect yes "has no fortified calls" '__(memcpy|memmove|memset|read|snprintf|vsnprintf|strncpy|fprintf)_chk@' "$symbols"
expect yes "has no stack protector" '__stack_chk_fail@' "$symbols"

# Libraries of which nothing is used widen what a fault reaches. The C library's own parts are the toolchain's choice.
unused=$(ldd -u "$program" 2>/dev/null | grep -oE '/[^ ]+' | grep -vE '/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|util|gcc_s|stdc\+\+))\.so' || true)
[ -z "$unused" ] || { echo "$program: nothing is used of" $unused >&2; failed=1; }
exit "$failed"
