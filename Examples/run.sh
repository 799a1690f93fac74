#!/usr/bin/env bash
# Thumbnails of the sample photos, fetched from a web server on loopback; or of the URLs given.
#
#   Examples/run.sh FOLDER [URL…]
#
# The second run finds everything in the disk cache: the address of the server is always the same.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
shift
calotype=.build/release/calotype

if [ $# -gt 0 ]; then
  exec "$calotype" get "$@" --thumbnail 320x240 --output "$folder/"
fi

port=${PORT:-8787}
address=http://127.0.0.1:$port
ready=$(mktemp -u)
mkfifo "$ready"
python3 -u -m http.server --bind 127.0.0.1 --directory Examples/Photos "$port" >"$ready" 2>/dev/null &
server=$!
trap 'kill $server 2>/dev/null || true; rm -f "$ready"' EXIT
# It prints a line when it listens.
read -r _ <"$ready" || { echo "Is port $port taken? Choose another: make run PORT=…" >&2; exit 1; }

urls=()
for photo in Examples/Photos/*.jpg Examples/Photos/*.png Examples/Photos/*.webp Examples/Photos/*.gif; do
  urls+=("$address/$(basename "$photo")")
done
echo "calotype get $address/… (${#urls[@]} photos) --thumbnail 320x240 --output $folder/"
"$calotype" get "${urls[@]}" --thumbnail 320x240 --output "$folder/"
echo
echo "The thumbnails are in $folder/. Run it again: everything then comes from the disk cache"
echo "($("$calotype" cache path); \`$calotype cache clear\` empties it)."
