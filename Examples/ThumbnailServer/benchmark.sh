#!/usr/bin/env bash
# Compares a hit of the server with a constant body of the same size from a handler beside it, by wrk.
#
#   ./benchmark.sh [SECONDS A RUN] [RUNS]
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-4} runs=${2:-5}
command -v wrk >/dev/null || { echo "wrk is missing: apt install wrk" >&2; exit 1; }
folder=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$folder"' EXIT

# A copy of the server with one more route.
scratch=${SCRATCH:-$PWD/.build-benchmark}
mkdir -p "$scratch/copy"
cp -r Sources "$scratch/copy"
sed "s|\"../..\"|\"$(cd ../.. && pwd)\"|" Package.swift >"$scratch/copy/Package.swift"
python3 - "$scratch/copy/Sources/ThumbnailServer/ThumbnailServer.swift" <<'PYTHON'
import sys
path = sys.argv[1]
text = open(path).read()
place = "    let address = BindAddress"
assert text.count(place) == 1
text = text.replace(place, '''    let constant = [UInt8](repeating: 7, count: arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0)
    router.get("constant") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "image/webp"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: constant)))
    }
''' + place)
open(path, "w").write(text)
PYTHON
swift build -c release --jobs "${JOBS:-2}" --package-path "$scratch/copy" --scratch-path "$scratch/build"

export XDG_CACHE_HOME=$folder/cache
read -r origin port < <(python3 - <<'PYTHON'
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(each.getsockname()[1] for each in sockets))
PYTHON
)
python3 -m http.server --bind 127.0.0.1 --directory ../Photos "$origin" >/dev/null 2>&1 &
pids+=($!)
serve() {
  "$scratch/build/release/ThumbnailServer" "$port" trusted "$1" >"$folder/server.log" 2>&1 &
  server=$!
  pids+=("$server")
  for _ in $(seq 100); do
    curl -s -o /dev/null "http://127.0.0.1:$port/" && return
    sleep 0.1
  done
  cat "$folder/server.log" >&2
  exit 1
}
thumbnail="http://127.0.0.1:$port/thumbnail?url=http://127.0.0.1:$origin/dandelion.jpg&width=100&height=100"
accept='Accept: image/avif,image/webp,image/apng,image/*,*/*;q=0.8'
serve 0
length=$(curl -s -H "$accept" "$thumbnail" | wc -c)
kill "$server"
wait "$server" || true
serve "$length"
curl -s -o /dev/null -H "$accept" "$thumbnail"

rate() { wrk -t1 -c16 -d"${seconds}s" -H "$accept" "$1" | awk '/Non-2xx/ { exit 1 } /Requests\/sec/ { print $2 }'; }
for _ in $(seq "$runs"); do
  echo "$(rate "$thumbnail") $(rate "http://127.0.0.1:$port/constant")"
done | python3 -c '
import statistics, sys
pairs = [tuple(map(float, line.split())) for line in sys.stdin]
ratios = [hit / constant for hit, constant in pairs]
for (hit, constant), ratio in zip(pairs, ratios):
    print(f"{hit:8.0f} hits/s, {constant:8.0f} constant bodies/s: {ratio:.2f}")
print(f"median {statistics.median(ratios):.2f}, for bodies of '"$length"' bytes")'
