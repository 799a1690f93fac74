#!/usr/bin/env bash
# Compares a hit of the server with a constant body of the same size from two handlers beside it, by wrk: one that reads
# the same query and responds with the same header fields, and one that does neither.
#
#   ./benchmark.sh [SECONDS A RUN] [RUNS]
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-4} runs=${2:-5}
command -v wrk >/dev/null || { echo "wrk is missing: apt install wrk" >&2; exit 1; }
folder=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$folder"' EXIT

# A copy of the server with two more routes.
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
    router.get("same") { request, _ in
      let query = request.uri.queryParameters
      guard let url = query.get("url").flatMap(URL.init(string:)) else { throw HTTPError(.badRequest) }
      let (width, height) = (query.get("width", as: Int.self) ?? 320, query.get("height", as: Int.self) ?? 320)
      guard (1...2_000).contains(width), (1...2_000).contains(height), url.host != nil else {
        throw HTTPError(.badRequest)
      }
      let accept = request.headers[values: .accept].joined(separator: ",")
      return Response(
        status: .ok,
        headers: [
          .contentType: accept.contains("webp") ? "image/webp" : "image/jpeg",
          .eTag: "\\"00000000000000000000000000000000\\"", .acceptRanges: "bytes",
          .lastModified: "Wed, 25 Nov 2026 22:26:42 GMT", .cacheControl: "max-age=451", .vary: "Accept",
        ],
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
query=${thumbnail#*\?}
for _ in $(seq "$runs"); do
  echo "$(rate "$thumbnail") $(rate "http://127.0.0.1:$port/same?$query") $(rate "http://127.0.0.1:$port/constant")"
done | python3 -c '
import statistics, sys
runs = [tuple(map(float, line.split())) for line in sys.stdin]
for hit, same, constant in runs:
    print(f"{hit:8.0f} hits/s, {same:8.0f} with the same fields: {hit / same:.2f}, {constant:8.0f} bare: {hit / constant:.2f}")
median = [statistics.median(run[0] / run[index] for run in runs) for index in (1, 2)]
print(f"median {median[0]:.2f} and {median[1]:.2f}, for bodies of '"$length"' bytes")'
