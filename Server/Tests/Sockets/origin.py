"""An origin of images: the sample photos, and paths that misbehave."""
import http.server
import os
import struct
import threading
import time
import zlib


def noise(width, height):
    """A PNG that cannot be compressed."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    row = os.urandom(3 * width)
    rows = zlib.compressobj(1)
    body = b"".join(rows.compress(b"\0" + row[i % width:] + row[:i % width]) for i in range(height)) + rows.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


class Origin:
    """Serves a folder on a free port, and counts its requests by path."""

    def __init__(self, folder):
        self.fields = {}
        self.counts, self.ended, self.gate, lock = {}, threading.Event(), threading.Event(), threading.Lock()
        self.left = threading.Event()
        origin, large = self, noise(5000, 5000)

        class Handler(http.server.SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def __init__(self, *arguments):
                super().__init__(*arguments, directory=folder)

            def log_message(self, *_):
                pass

            def send(self, status, body=b"", **fields):
                self.send_response(status)
                for name, value in fields.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                with lock:
                    origin.counts[self.path] = origin.counts.get(self.path, 0) + 1
                    origin.fields[self.path] = dict(self.headers)
                name = self.path.split("?")[0]
                if name == "/hanging":
                    while self.connection.recv(1):
                        pass
                    return origin.ended.set()
                if name == "/endless.png":
                    # The first bytes of 200 MiB, and then nothing until the client leaves.
                    self.send_response(200)
                    self.send_header("Content-Length", str(200 << 20))
                    self.end_headers()
                    self.wfile.write(large[:32768])
                    while self.connection.recv(1):
                        pass
                    return origin.left.set()
                if name == "/large.png":
                    return self.send(200, large)
                if name == "/text":
                    return self.send(200, b"no image at all, but long enough to be read")
                if name.startswith("/status/"):
                    return self.send(int(name.rsplit("/", 1)[1]))
                if name.startswith("/to/"):
                    return self.send(302, Location=self.path[len("/to/"):])
                if name.startswith("/gated/"):
                    origin.gate.wait(20)
                    self.path = name[len("/gated"):]
                super().do_GET()

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def count(self, path):
        return self.counts.get(path, 0)

    def wait_for(self, path, count=1):
        for _ in range(2000):
            if self.count(path) >= count:
                return
            time.sleep(0.005)
        raise AssertionError(f"the origin was not asked for {path}")
