#!/usr/bin/env bash
# run.sh BUILD [NAME ...]: installs the servers to compare with, once, and runs bench.py; `geometry` and `soak` are programs of their own.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
shift
command -v wrk >/dev/null || { echo "wrk is missing: apt install wrk" >&2; exit 1; }
peers=$here/../.build/peers
if ! cmp -s "$here/requirements.txt" "$peers/requirements.txt"; then
  python3 -m venv --clear "$peers"
  "$peers/bin/pip" install --quiet --requirement "$here/requirements.txt"
  cp "$here/requirements.txt" "$peers/requirements.txt"
fi
names=()
for name in "$@"; do
  case $name in
    geometry | soak) python3 "$here/$name.py" "$build" "$peers" ;;
    *) names+=("$name") ;;
  esac
done
[ $# -gt 0 ] && [ ${#names[@]} -eq 0 ] || exec python3 "$here/bench.py" "$build" "$peers" "${names[@]}"
