#!/usr/bin/env bash
# test.sh PROGRAM: asks the image server over real sockets.
set -euo pipefail
exec python3 "$(dirname "$0")/Tests/Sockets/served.py" "$(realpath "$1")"
