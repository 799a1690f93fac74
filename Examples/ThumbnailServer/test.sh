#!/usr/bin/env bash
# Builds the server, unless PROGRAM names one, and asks it over real sockets, with curl, for thumbnails of the sample photos.
set -euo pipefail
cd "$(dirname "$0")"
program=${PROGRAM:-}
if [ -z "$program" ]; then
  scratch=${SCRATCH:-.build}
  swift build -c release --jobs "${JOBS:-2}" --scratch-path "$scratch"
  program=$scratch/release/ThumbnailServer
fi

folder=$(mktemp -d)
export XDG_CACHE_HOME=$folder/cache
# The photos; /delayed/NAME is one that takes a second, /noise.png is large, and /hanging never answers, and tells when
# its client has left.
cat >"$folder/origin.py" <<'PYTHON'
import http.server, os, struct, sys, time, zlib

def noise(side):
    """A PNG that is larger than the buffers of a socket."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    rows = b"".join(b"\0" + os.urandom(3 * side) for _ in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")

class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/hanging":
            self.log_message("hanging begins")
            while self.connection.recv(1):
                pass
            return self.log_message("hanging ended")
        if self.path == "/noise.png":
            body = noise(1600)
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            return self.wfile.write(body)
        if self.path.startswith("/delayed/"):
            self.log_message("delayed begins")
            time.sleep(1)
            self.path = self.path.removeprefix("/delayed")
        super().do_GET()

os.chdir("../Photos")
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
PYTHON
read -r origin port < <(python3 - <<'PYTHON'
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(each.getsockname()[1] for each in sockets))
PYTHON
)
python3 -u "$folder/origin.py" "$origin" >/dev/null 2>"$folder/origin.log" &
web=$!
CLIENT_SECONDS=2 "$program" "$port" trusted >"$folder/server.log" 2>&1 &
server=$!
trap 'kill $web $server 2>/dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 100); do
  curl -s -o /dev/null "http://127.0.0.1:$port/" && curl -s -o /dev/null "http://127.0.0.1:$origin/" && break
  sleep 0.1
done

fail() { echo "$*" >&2; cat "$folder/head" "$folder/server.log" >&2 || true; exit 1; }
# get PATH [OPTIONS]: the status is in $status, the header in head, the body in body.
get() {
  local path=$1
  shift
  rm -f "$folder/body"
  status=$(curl -s -m 20 -D "$folder/head" -o "$folder/body" -w '%{http_code}' "$@" "http://127.0.0.1:$port$path")
}
field() { awk -v name="$1" 'tolower($1) == tolower(name) ":" { sub(/\r$/, ""); sub(/^[^ ]* /, ""); print }' "$folder/head"; }
is() { [ "$2" = "$3" ] || fail "$1 is '$2', not '$3'"; }

photo="/thumbnail?url=http://127.0.0.1:$origin/dandelion.jpg&width=100&height=100"
get "$photo" -H 'Accept: image/webp,*/*;q=0.8'
is status "$status" 200
is type "$(field content-type)" image/webp
is vary "$(field vary)" Accept
is start "$(head -c 4 "$folder/body")" RIFF
tag=$(field etag) length=$(field content-length)
case $(field cache-control) in max-age=*) ;; *) fail "Cache-Control is '$(field cache-control)'" ;; esac

get "$photo" -H "If-None-Match: $tag" -H 'Accept: image/avif,image/webp'
is "status of a conditional request" "$status" 304
[ ! -s "$folder/body" ] || fail "a 304 has a body"
get "$photo" -r 0-9 -H 'Accept: image/webp'
is "status of a range" "$status" 206
is "the range" "$(field content-range)" "bytes 0-9/$length"
get "$photo" -H 'Accept: image/jpeg'
is "type for a client with JPEG alone" "$(field content-type)" image/jpeg
[ "$(field etag)" != "$tag" ] || fail "two formats have one entity tag"
get "$photo" -I -H 'Accept: image/webp'
is "status of HEAD" "$status" 200
get "$photo" -I -r 0-9 -H 'Accept: image/webp'
is "status of HEAD, which has no ranges" "$status" 200
is "length of HEAD" "$(field content-length)" "$length"

get "/thumbnail?url=http://127.0.0.1:$origin/none.jpg"
is "status of a missing image" "$status" 404
get "/thumbnail?url=ftp://127.0.0.1/a.jpg"
is "status of another scheme" "$status" 400
get "/thumbnail"
is "status without a URL" "$status" 400
for side in 0 -1 2001 1e9 NaN 99999999999999999999 10%00 ''; do
  get "/thumbnail?url=http://127.0.0.1:$origin/dandelion.jpg&width=$side"
  is "status for $side pixels" "$status" 400
done
is "loads of the photo" "$(grep -c 'GET /dandelion.jpg' "$folder/origin.log")" 1

# Waits until the origin has written a line.
origin_says() {
  for _ in $(seq 100); do
    grep -q "$1" "$folder/origin.log" && return
    sleep 0.1
  done
  fail "the origin does not say '$1'"
}

# A client that leaves cancels the load.
curl -s -o /dev/null "http://127.0.0.1:$port/thumbnail?url=http://127.0.0.1:$origin/hanging" &
client=$!
origin_says "hanging begins"
kill "$client"
origin_says "hanging ended"

get /metrics
is "status of the metrics" "$status" 200
# The photo was decoded once for both formats, and every range, condition and repetition was answered from memory.
# Whether its original is read from the disk for that depends on how soon it was stored.
is metrics "$(grep -v disk_hits "$folder/body" | tr '\n' ' ')" "calotype_decodes 2 calotype_encodes 2 calotype_loads 4 calotype_requests 0 "

# A body that nobody reads delays nothing.
head -c 200000 /dev/zero >"$folder/upload"
get "/thumbnail?url=http://127.0.0.1:$origin/stream.jpg&width=90" -X GET --data-binary "@$folder/upload"
is "status of a request with a body" "$status" 200

# Clients that do not behave: `python3 - ORIGIN PORT`.
python3 - "$origin" "$port" <<'PYTHON' || fail "a client was served wrongly"
import socket, sys, time

origin, port = sys.argv[1:]
def request(name, *fields):
    lines = [f"GET /thumbnail?url=http://127.0.0.1:{origin}/{name} HTTP/1.1", "Host: server", *fields, "", ""]
    return "\r\n".join(lines).encode()

def connect(receive_buffer=None):
    client = socket.socket()
    if receive_buffer:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    client.settimeout(15)
    client.connect(("127.0.0.1", int(port)))
    return client

def read_all(client):
    received = b""
    try:
        while data := client.recv(1 << 16):
            received += data
    except ConnectionResetError:
        pass
    return received

# Requests that are sent at once are answered in their order, also those whose images are not in memory.
client = connect()
names = ["meadow.webp", "sunset.webp", "stream.jpg"]
client.sendall(b"".join(request(name + "&width=77") for name in names[:2]))
client.sendall(request(names[2] + "&width=77", "Connection: close"))
together = read_all(client)
apart = b""
for name in names:
    client = connect()
    client.sendall(request(name + "&width=77", "Connection: close"))
    apart += read_all(client)
tags = lambda text: [line for line in text.split(b"\r\n") if line.lower().startswith(b"etag")]
assert len(set(tags(apart))) == 3 and tags(together) == tags(apart), (tags(together), tags(apart))

# A client that does not read, and one that does not end its request, are disconnected.
reader, writer = connect(receive_buffer=4096), connect()
reader.sendall(request("noise.png&width=2000&height=2000", "Accept: image/png"))
writer.sendall(b"GET /thumb")
begin = time.monotonic()
assert read_all(writer) == b"" and time.monotonic() - begin < 10
time.sleep(max(0, begin + 5 - time.monotonic()))
head, _, body = read_all(reader).partition(b"\r\n\r\n")
length = next(int(line.split()[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
assert head.startswith(b"HTTP/1.1 200") and length > 7_000_000 and len(body) < length, (head, len(body))
# One that reads gets all.
client = connect()
client.sendall(request("noise.png&width=2000&height=2000", "Accept: image/png", "Connection: close"))
assert len(read_all(client).partition(b"\r\n\r\n")[2]) == length
PYTHON

# A request in progress is completed before the server ends.
curl -s -m 20 -o "$folder/last" -w '%{http_code}' \
  "http://127.0.0.1:$port/thumbnail?url=http://127.0.0.1:$origin/delayed/dandelion.jpg" >"$folder/last.status" &
client=$!
origin_says "delayed begins"
kill -TERM "$server"
wait "$client" || fail "the last client was left without an answer"
is "status during shutdown" "$(cat "$folder/last.status")" 200
[ -s "$folder/last" ] || fail "the last answer is empty"
wait "$server" || fail "the server ended with $?"
echo "ThumbnailServer: right"
