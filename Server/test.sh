#!/usr/bin/env bash
# test.sh PROGRAM: asks the image server over real sockets, and drives its playground in a browser if there is one.
set -euo pipefail
tests="$(dirname "$0")/Tests"
program="$(realpath "$1")"
python3 "$tests/Sockets/served.py" "$program"
exec python3 "$tests/Playground/driven.py" "$program"
