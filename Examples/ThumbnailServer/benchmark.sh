#!/usr/bin/env bash
# Compares a hit of the server with a constant body of the same size from two handlers beside it, by wrk: one that reads
# the same query and responds with the same header fields, and one that does neither. Reports requests per second, and the
# processor time of the server for each request, which other work on the machine changes less.
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
sed "s|\"../../\?|\"$(cd ../.. && pwd)/|" Package.swift >"$scratch/copy/Package.swift"
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
          .contentType: accept.isEmpty ? "image/jpeg" : "image/webp",
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
# Photos of last year are fresh for as long as the benchmark runs.
cp -r ../Photos "$folder/photos"
touch -d '1 year ago' "$folder"/photos/*
python3 -m http.server --bind 127.0.0.1 --directory "$folder/photos" "$origin" >/dev/null 2>&1 &
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

counters() { curl -s "http://127.0.0.1:$port/metrics" | tr '\n' ' '; }
# Requests per second, and microseconds of processor time for each.
measure() {
  local before after
  before=$(ticks)
  wrk -t1 -c16 -d"${seconds}s" -H "$accept" "$1" >"$folder/wrk"
  after=$(ticks)
  awk -v ticks=$((after - before)) -v hertz="$(getconf CLK_TCK)" '
    /Non-2xx/ { exit 1 }
    / requests in / { requests = $1 }
    /Requests\/sec/ { print $2, ticks / hertz / requests * 1e6 }' "$folder/wrk"
}
ticks() { awk '{ print $14 + $15 }' "/proc/$server/stat"; }
query=${thumbnail#*\?}
counted=$(counters)
for _ in $(seq "$runs"); do
  echo "$(measure "$thumbnail") $(measure "http://127.0.0.1:$port/same?$query")" \
    "$(measure "http://127.0.0.1:$port/constant")"
done >"$folder/runs"
[ "$counted" = "$(counters)" ] || { echo "not all were hits: $counted, then $(counters)" >&2; exit 1; }
python3 - "$folder/runs" "$length" <<'PYTHON'
import statistics, sys

runs = [tuple(map(float, line.split())) for line in open(sys.argv[1])]
for hit, hit_time, same, same_time, constant, constant_time in runs:
    print(f"{hit:8.0f} hits/s, {same:8.0f} with the same fields: {hit / same:.2f}, {constant:8.0f} bare: {hit / constant:.2f};"
          f" {hit_time:5.1f}, {same_time:5.1f} and {constant_time:5.1f} µs of processor time")
median = lambda ratio: statistics.median(map(ratio, runs))
print(f"median {median(lambda run: run[0] / run[2]):.2f} and {median(lambda run: run[0] / run[4]):.2f},"
      f" by processor time {median(lambda run: run[3] / run[1]):.2f} and {median(lambda run: run[5] / run[1]):.2f},"
      f" for bodies of {sys.argv[2]} bytes")
PYTHON
