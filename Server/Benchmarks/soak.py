#!/usr/bin/env python3
"""soak.py BUILD PEERS [REQUESTS [KILLS]]: a server under mixed requests, with an origin that fails and its process killed.

BUILD is the folder with calotype-server, PEERS a Python environment with pyvips. REQUESTS (50,000) are sent by sixteen clients. One
source in five fails now and then: no answer, a status, a body that ends early, or one that drips. KILLS (200) times the process is
killed by SIGKILL amid requests, and started again on the same disk cache. Each body is compared with that of a server without
a cache and without faults. Memory is compared with that after the first 1,000 requests."""
import hashlib
import http.client
import http.server
import os
import random
import signal
import sys
import tempfile
import threading
import time

import bench

CLIENTS = 16
SIZES = [(64, 64), (120, 90), (200, 200), (333, 111)]
FORMATS = ["jpg", "png", "webp"]


class Origin:
    """Pictures by name; faulty ones fail if faults are on."""

    def __init__(self, folder):
        origin = self
        self.faults, self.count, self.lock = False, 0, threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                with origin.lock:
                    origin.count += 1
                    turn = origin.count
                name = self.path.strip("/").split("?")[0]
                fault = turn % 5 if origin.faults and name.startswith("faulty") else 0
                picture = open(os.path.join(folder, name.removeprefix("faulty-")), "rb").read()
                try:
                    if fault == 1:
                        return self.send_error(503)
                    if fault == 2:
                        return self.connection.close()
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(picture)))
                    self.send_header("ETag", '"' + hashlib.sha256(picture).hexdigest()[:16] + '"')
                    self.send_header("Cache-Control", "max-age=2")
                    self.end_headers()
                    if fault == 3:
                        self.wfile.write(picture[: len(picture) // 2])
                        return self.connection.close()
                    if fault == 4:
                        for start in range(0, len(picture), len(picture) // 8 + 1):
                            self.wfile.write(picture[start:start + len(picture) // 8 + 1])
                            time.sleep(0.02)
                        return None
                    return self.wfile.write(picture)
                except OSError:
                    return None

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 256
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Soak:
    def __init__(self, build, peers):
        self.bench = bench.Bench(build, peers)
        self.bench.pictures()
        os.system(f"cd {self.bench.folder} && cp 2k.jpg a.jpg && cp 2k.webp b.webp && cp 12mp.jpg c.jpg")
        self.origin = Origin(self.bench.folder)
        self.cache = tempfile.mkdtemp()
        self.port = bench.free_port()
        self.expected = {}
        self.server = None
        self.paths = [
            f"/unsafe/rs:fit:{width}:{height}/cb:{cb}/f:{kind}/plain/http://127.0.0.1:{self.origin.port}/{fault}{name}"
            for name in ("a.jpg", "b.webp", "c.jpg") for fault in ("", "", "", "", "faulty-")
            for width, height in SIZES for kind in FORMATS for cb in range(4)]
        self.wrong, self.statuses, self.lost, self.lock = [], {}, 0, threading.Lock()

    def start(self, *options):
        self.server = bench.Server(
            [self.bench.build + "/calotype-server", "--bind", f"127.0.0.1:{self.port}", "--allow-unsigned", "--quality", "80",
             "--allow-loopback-source-addresses", "--log-level", "error", *options], self.port)

    def measure(self):
        self.start()
        for path in sorted(set(self.paths)):
            # The number that makes variants does not change pixels.
            key = path.replace("faulty-", "")
            plain = "/".join(part for part in key.split("/") if not part.startswith("cb:"))
            if plain not in self.expected:
                status, body, _ = self.server.get(plain)
                assert status == 200, (status, body)
                self.expected[plain] = hashlib.sha256(body).digest()
        self.server.stop()

    def client(self, seed, count, ended):
        chance = random.Random(seed)
        connection = None
        done = 0
        while done < count and not ended.is_set():
            path = chance.choice(self.paths)
            try:
                if connection is None:
                    connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
                connection.request("GET", path)
                reply = connection.getresponse()
                body = reply.read()
            except (OSError, http.client.HTTPException):
                with self.lock:
                    self.lost += 1
                connection = None
                time.sleep(0.01)
                continue
            done += 1
            plain = "/".join(part for part in path.replace("faulty-", "").split("/") if not part.startswith("cb:"))
            with self.lock:
                self.statuses[reply.status] = self.statuses.get(reply.status, 0) + 1
                if reply.status == 200 and hashlib.sha256(body).digest() != self.expected[plain]:
                    self.wrong.append(path)

    def load(self, count, kills=0):
        ended = threading.Event()
        threads = [threading.Thread(target=self.client, args=(seed + kills, count // CLIENTS, ended)) for seed in range(CLIENTS)]
        for each in threads:
            each.start()
        chance = random.Random(1)
        for _ in range(kills):
            time.sleep(chance.uniform(0.05, 0.6))
            os.killpg(self.server.pid, signal.SIGKILL)
            self.server.process.wait()
            self.start("--cache-use", "fs", "--cache-fs-root", self.cache)
        if kills:
            ended.set()
        for each in threads:
            each.join()

    def run(self, requests, kills):
        self.measure()
        self.origin.faults = True
        self.start("--cache-use", "fs", "--cache-fs-root", self.cache)
        self.load(1000)
        first = bench.memory(self.server.pid)
        begin = time.monotonic()
        self.load(requests)
        spent = time.monotonic() - begin
        last = bench.memory(self.server.pid)
        print(f"{requests} requests in {spent:.0f} s; statuses {dict(sorted(self.statuses.items()))}; {self.lost} connections lost; "
              f"{len(self.wrong)} wrong bodies; {self.origin.count} fetches")
        print(f"memory: {first:.0f} MiB after 1,000 requests, {last:.0f} at the end: {last / first:.2f}")
        self.lost, self.statuses = 0, {}
        self.load(10 ** 9, kills)
        self.load(1000)
        print(f"{kills} kills: statuses {dict(sorted(self.statuses.items()))}; {self.lost} connections lost; {len(self.wrong)} wrong bodies")
        self.server.stop()
        good = not self.wrong and last <= 1.2 * first and self.statuses.get(200, 0) > 0
        print("sound" if good else "NOT SOUND")
        sys.exit(0 if good else 1)


if len(sys.argv) < 3:
    sys.exit(__doc__)
Soak(sys.argv[1], sys.argv[2]).run(*(int(each) for each in (sys.argv[3:] + ["50000", "200"][len(sys.argv) - 3:])[:2]))
