#!/usr/bin/env python3
"""bench.py BUILD PEERS [NAME ...]: the image server beside others, on this machine, in turns.

BUILD is the folder with calotype-server and bare-server, PEERS a Python environment with thumbor and pyvips. Names: misses, hits,
overload, drip, start, memory. Figures are medians of ROUNDS (3) rounds; processor time is that of the whole tree of processes."""
import glob
import http.client
import http.server
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PHOTOS = os.path.join(HERE, "..", "..", "Examples", "Photos")
HERTZ = os.sysconf("SC_CLK_TCK")
ROUNDS = int(os.environ.get("ROUNDS", "3"))
SECONDS = float(os.environ.get("SECONDS", "6"))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as each:
        return each.getsockname()[1]


def tree(pid):
    parents = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            text = open(path).read()
        except OSError:
            continue
        parents.setdefault(int(text[text.rindex(")") + 2:].split()[1]), []).append(int(text.split()[0]))
    found, rest = [], [pid]
    while rest:
        found.append(rest.pop())
        rest += parents.get(found[-1], [])
    return found


def processor_time(pid):
    """Seconds, of ended children too."""
    total = 0
    for each in tree(pid):
        try:
            text = open(f"/proc/{each}/stat").read()
        except OSError:
            continue
        fields = text[text.rindex(")") + 2:].split()
        total += sum(map(int, fields[11:15]))
    return total / HERTZ


def memory(pid, name="Pss"):
    """MiB of a tree of processes; shared pages count once."""
    total = 0
    for each in tree(pid):
        try:
            text = open(f"/proc/{each}/smaps_rollup").read()
            total += int(re.search(rf"^{name}:\s+(\d+)", text, re.M).group(1))
        except (OSError, AttributeError):
            pass
    return total / 1024


class Server:
    """A process with a port."""

    def __init__(self, arguments, port, path="/health", environment=None):
        self.port = port
        self.log = tempfile.TemporaryFile("w+")
        self.begin = time.monotonic()
        self.process = subprocess.Popen(
            [str(each) for each in arguments], stdout=self.log, stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})}, start_new_session=True)
        self.pid = self.process.pid
        for _ in range(2000):
            try:
                self.get(path)
                break
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.005)
        else:
            self.fail()
        if self.process.poll() is not None:
            self.fail()
        self.start = time.monotonic() - self.begin

    def fail(self):
        self.log.seek(0)
        sys.exit(f"{self.process.args[0]} does not answer: {self.log.read()[-2000:]}")

    def get(self, path, headers={}):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", path, headers=headers)
        reply = connection.getresponse()
        body = reply.read()
        connection.close()
        return reply.status, body, dict(reply.getheaders())

    def stop(self):
        os.killpg(self.pid, signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(self.pid, signal.SIGKILL)
            self.process.wait()


class Bench:
    def __init__(self, build, peers):
        self.build, self.peers = build, peers
        self.folder = tempfile.mkdtemp()
        self.results = {}

    def pictures(self):
        """The sources: 6 and 12 megapixels as JPEG, 2.8 as PNG and WebP."""
        code = """
import pyvips, sys
photos, folder = sys.argv[1:]
image = pyvips.Image.new_from_file(photos + "/dandelion.jpg")
image.write_to_file(folder + "/12mp.jpg[Q=85,strip]")
image.thumbnail_image(2725, height=2225, crop="centre", size="force").write_to_file(folder + "/6mp.jpg[Q=85,strip]")
small = image.thumbnail_image(2040, height=1356, crop="centre")
small.write_to_file(folder + "/2k.png[strip]")
small.write_to_file(folder + "/2k.webp[Q=85,strip]")
small.write_to_file(folder + "/2k.jpg[Q=85,strip]")
"""
        if not os.path.exists(self.folder + "/2k.jpg"):
            subprocess.run([self.peers + "/bin/python", "-c", code, PHOTOS, self.folder], check=True)

    # Servers.

    def calotype(self, *options, root=None):
        port = free_port()
        return Server(
            [self.build + "/calotype-server", "--bind", f"127.0.0.1:{port}", "--allow-unsigned", "--local-filesystem-root",
             root or self.folder, "--quality", "80", *options], port)

    def vips(self):
        port = free_port()
        return Server([self.peers + "/bin/python", HERE + "/vips_server.py", port, self.folder], port, "/8x8/2k.png")

    def thumbor(self, stores=False):
        port, path = free_port(), f"{self.folder}/thumbor{int(stores)}.conf"
        storage = "'thumbor.result_storages.file_storage'" if stores else None
        with open(path, "w") as file:
            file.write(
                "LOADER='thumbor.loaders.file_loader'\nSTORAGE='thumbor.storages.no_storage'\nQUALITY=80\n"
                f"FILE_LOADER_ROOT_PATH='{self.folder}'\nRESULT_STORAGE={storage}\nRESULT_STORAGE_STORES_UNSAFE=True\n"
                f"RESULT_STORAGE_FILE_STORAGE_ROOT_PATH='{self.folder}/thumbor'\n")
        return Server(
            [self.peers + "/bin/thumbor", "-p", port, "-i", "127.0.0.1", "-l", "error", "--processes", os.cpu_count(), "-c", path],
            port, "/healthcheck")

    def bare(self, size):
        port = free_port()
        return Server([self.build + "/bare-server", port, size], port, "/")

    # Loads.

    def wrk(self, server, path, connections, headers={}, seconds=SECONDS, varies=True):
        """Requests a second, milliseconds of processor time for each, and percentiles of latency in milliseconds."""
        script = self.folder + "/wrk.lua"
        with open(script, "w") as file:
            file.write(f"local n = {int(time.time() * 1000) % 10 ** 9 * 100000}\n")
            for name, value in headers.items():
                file.write(f"wrk.headers[{json.dumps(name)}] = {json.dumps(value)}\n")
            if varies:
                file.write(f"request = function() n = n + 1; return wrk.format('GET', string.format({json.dumps(path)}, n)) end\n")
        first = processor_time(server.pid)
        output = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{int(seconds)}s", "--latency", "--timeout", "20s", "-s", script,
             f"http://127.0.0.1:{server.port}{path if not varies else '/'}"], capture_output=True, text=True, check=True).stdout
        spent = processor_time(server.pid) - first
        bad = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
        if bad:
            sys.exit(f"{path}: {bad.group(0)}")
        unit = {"us": 1e-3, "ms": 1, "s": 1e3}
        count, duration = re.search(r"(\d+) requests in ([\d.]+)s", output).groups()
        latency = {key: float(value) * unit[name] for key, value, name in re.findall(r"(\d+)%\s+([\d.]+)(us|ms|s)", output)}
        return int(count) / float(duration), spent / int(count) * 1e3, latency

    def compare(self, title, runs):
        """Runs loads in turns; the first one is ours. RUNS has names with functions."""
        found = {name: [] for name, _ in runs}
        for round in range(ROUNDS):
            for name, run in runs if round % 2 == 0 else runs[::-1]:
                found[name].append(run())
        print(f"{title}\n  {'':26}{'requests/s':>11}{'ratio':>7}{'CPU ms':>9}{'ratio':>7}{'p50 ms':>9}{'p99 ms':>9}")
        first = None
        for name, values in found.items():
            rate, spent, fifty, last = (
                statistics.median(each) for each in zip(*((v[0], v[1], v[2]["50"], v[2]["99"]) for v in values)))
            first = first or (rate, spent)
            print(f"  {name:26}{rate:11.1f}{first[0] / rate:7.2f}{spent:9.3f}{spent / first[1]:7.2f}{fifty:9.2f}{last:9.2f}")
        sys.stdout.flush()
        return {name: statistics.median(v[0] for v in values) for name, values in found.items()}

    # Benchmarks.

    def misses(self):
        """Results that nobody has made before, of files."""
        self.pictures()
        ours, bare, vips, thumbor = self.calotype(), self.calotype("--sandbox", "none"), self.vips(), self.thumbor()
        for name, width, height in [("6mp.jpg", 720, 588), ("12mp.jpg", 320, 320), ("2k.jpg", 512, 512), ("2k.png", 512, 512), ("2k.webp", 512, 512)]:
            path = f"/unsafe/rs:fit:{width}:{height}/cb:%d/plain/local:///{name}"
            bodies = [(ours.get(path.replace("%d", "0"))[1]), vips.get(f"/{width}x{height}/{name}")[1]]
            self.compare(f"miss, {name} to {width}x{height}, 2 connections, {len(bodies[0])} bytes beside {len(bodies[1])}", [
                ("calotype-server", lambda: self.wrk(ours, path, 2)),
                ("without sandbox", lambda: self.wrk(bare, path, 2)),
                ("libvips 8.18, aiohttp", lambda: self.wrk(vips, f"/{width}x{height}/{name}?%d", 2)),
                ("thumbor 7.8, Pillow", lambda: self.wrk(thumbor, f"/unsafe/fit-in/{width}x{height}/{name}?%d", 2))])
        self.compare("miss, 6mp.jpg to 720x588, 1 connection", [
            ("calotype-server", lambda: self.wrk(ours, "/unsafe/rs:fit:720:588/cb:%d/plain/local:///6mp.jpg", 1))])
        for each in (ours, bare, vips, thumbor):
            each.stop()

    def hits(self):
        """Results in memory, beside a server that does nothing but send, and thumbor's storage of results."""
        self.pictures()
        path = "/unsafe/rs:fit:800:800/plain/local:///12mp.jpg"
        ours, thumbor = self.calotype(), self.thumbor(stores=True)
        status, body, headers = ours.get(path)
        bare = self.bare(len(body))
        thumbor.get("/unsafe/fit-in/800x800/12mp.jpg")
        self.compare(f"hit of {len(body)} bytes, 32 connections", [
            ("calotype-server", lambda: self.wrk(ours, path, 32, varies=False)),
            ("bare Hummingbird", lambda: self.wrk(bare, "/", 32, varies=False)),
            ("thumbor, result storage", lambda: self.wrk(thumbor, "/unsafe/fit-in/800x800/12mp.jpg", 32, varies=False))])
        tag = headers["ETag"]
        self.compare("304, 32 connections", [
            ("calotype-server", lambda: self.wrk(ours, path, 32, {"If-None-Match": tag}, varies=False)),
            ("bare Hummingbird", lambda: self.wrk(bare, "/empty", 32, varies=False))])
        for each in (ours, bare, thumbor):
            each.stop()

    def sender(self, server, seconds, streams, seed=1):
        """Sends by a schedule. STREAMS: (class, rate, Accept, paths). Returns (class, scheduled s, latency ms, status, retry)."""
        program = self.folder + "/sender"
        if not os.path.exists(program):
            subprocess.run(["cc", "-O2", "-o", program, HERE + "/sender.c", "-lm"], check=True)
        plan = "".join(f"{name} {rate} {accept} {' '.join(paths)}\n" for name, rate, accept, paths in streams)
        output = subprocess.run(
            ["nice", "-n", "-10", program, str(server.port), str(seconds), str(seed)], input=plan, capture_output=True, text=True,
            check=True).stdout
        rows = []
        for line in output.splitlines():
            name, scheduled, latency, status, retry = line.split()
            rows.append((name, int(scheduled) / 1e6, int(latency) / 1e3, int(status), int(retry)))
        return rows

    def overload(self):
        """Four times as many misses as the server can make, from a sender that does not wait."""
        self.pictures()
        seconds = float(os.environ.get("OVERLOAD_SECONDS", "60"))
        server = self.calotype()
        paths = ["/unsafe/rs:fit:320:320/cb:%d/plain/local:///12mp.jpg", "/unsafe/rs:fit:512:512/cb:%d/plain/local:///2k.jpg"]
        hit = "/unsafe/rs:fit:200:200/plain/local:///2k.jpg"
        server.get(hit)
        closed = self.wrk_mix(server, paths)
        probe = lambda rate, seed: self.sender(server, 10, [("miss", rate, "*/*", paths)], seed)
        peak = max(self.goodput(probe(closed * factor, seed), 10) for seed, factor in enumerate((0.9, 1.0, 1.1), 1))
        time.sleep(2)
        idle, samples, ended = memory(server.pid), [], threading.Event()

        def sample():
            while not ended.wait(0.1):
                samples.append(memory(server.pid))

        thread = threading.Thread(target=sample)
        thread.start()
        before = processor_time(server.pid)
        rows = self.sender(server, seconds, [
            ("miss", 4 * peak, "*/*", paths), ("hit", 50, "*/*", [hit]), ("health", 10, "*/*", ["/health"])], 7)
        spent = processor_time(server.pid) - before
        ended.set()
        thread.join()
        after = self.sender(server, 8, [("miss", 0.5 * peak, "*/*", paths)], 9)
        bare = self.bare(100)
        calm = self.sender(bare, 10, [("hit", 4 * peak, "*/*", ["/"])], 3)
        p = lambda values, share: sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0
        made = [row for row in rows if row[0] == "miss" and row[3] == 200]
        refused = [row for row in rows if row[0] == "miss" and row[3] in (429, 503)]
        others = [row for row in rows if row[3] not in (200, 429, 503)]
        print(f"overload: peak {peak:.1f}/s, {4 * peak:.0f}/s sent for {seconds:.0f} s; {spent / seconds:.2f} processors")
        print(f"  goodput {self.goodput(rows, seconds):.1f}/s, {self.goodput(rows, seconds) / peak:.3f} of the peak")
        print(f"  made: p50 {p([r[2] for r in made], .5):.0f} ms, p99 {p([r[2] for r in made], .99):.0f} ms")
        print(f"  refused {len(refused)}: p50 {p([r[2] for r in refused], .5):.2f} ms, p99 {p([r[2] for r in refused], .99):.2f} ms, "
              f"without Retry-After {sum(r[4] < 0 for r in refused)}")
        for name in ("hit", "health"):
            values = [row[2] for row in rows if row[0] == name]
            print(f"  {name}: p50 {p(values, .5):.2f} ms, p99 {p(values, .99):.2f} ms, max {max(values):.2f} ms")
        print(f"  bare Hummingbird at the same rate, idle machine: p99 {p([r[2] for r in calm], .99):.2f} ms")
        print(f"  other statuses and timeouts: {len(others)}")
        late = [row for row in after if row[1] > 2 and row[3] != 200]
        print(f"  half the peak right after: {len(late)} of {sum(r[1] > 2 for r in after)} refused after 2 s")
        print(f"  memory: {idle:.0f} MiB before, {max(samples):.0f} MiB at most")
        server.stop()
        bare.stop()

    def goodput(self, rows, seconds):
        return sum(row[0] == "miss" and row[3] == 200 for row in rows) / seconds

    def wrk_mix(self, server, paths):
        """Misses a second of equal numbers of each path, from as many clients as keep the server busy."""
        script = self.folder + "/mix.lua"
        list = ", ".join(json.dumps(each) for each in paths)
        with open(script, "w") as file:
            file.write(f"local n = 700000000\nlocal paths = {{{list}}}\n"
                       "request = function() n = n + 1; return wrk.format('GET', string.format(paths[n % #paths + 1], n)) end\n")
        output = subprocess.run(
            ["wrk", "-t1", "-c4", "-d5s", "--timeout", "20s", "-s", script, f"http://127.0.0.1:{server.port}/"],
            capture_output=True, text=True, check=True).stdout
        return float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1))

    def drip(self):
        """Thirty-two sources that send a byte now and then, beside good ones."""
        self.pictures()
        origin = Dripping(self.folder + "/2k.jpg")
        server = self.calotype("--allow-loopback-source-addresses", "--download-timeout", "60", "--timeout", "60")
        good = ["/unsafe/rs:fit:64:64/cb:%d/plain/" + f"http://127.0.0.1:{origin.port}/good"]
        p = lambda rows, share: sorted(row[2] for row in rows)[int(len(rows) * share)]
        before, during = [], []
        for round in range(ROUNDS):
            calm = self.sender(server, 10, [("good", 10, "*/*", good)], round)
            before.append((p(calm, .5), p(calm, .99)))
            threads = [threading.Thread(target=self.abandon, args=(server, f"/unsafe/rs:fit:64:64/plain/http://127.0.0.{i + 2}:{origin.port}/drip/{round}-{i}")) for i in range(32)]
            for each in threads:
                each.start()
            time.sleep(1)
            busy = self.sender(server, 10, [("good", 10, "*/*", good)], round)
            assert all(row[3] == 200 for row in busy), "a good source failed"
            during.append((p(busy, .5), p(busy, .99)))
            for each in threads:
                each.join()
        fifty, last = (statistics.median(each[i] for each in during) / statistics.median(each[i] for each in before) for i in (0, 1))
        print(f"32 dripping sources: p50 {fifty:.2f}, p99 {last:.2f} of the time without; p99 {statistics.median(e[1] for e in during):.1f} ms")
        server.stop()
        origin.stop()

    def abandon(self, server, path):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=12)
        try:
            connection.request("GET", path)
            connection.getresponse().read()
        except OSError:
            pass
        connection.close()

    def start(self):
        """From the start of the process until /ready answers 200."""
        self.pictures()
        times = []
        for _ in range(max(ROUNDS, 5)):
            port = free_port()
            begin = time.monotonic()
            process = subprocess.Popen(
                [self.build + "/calotype-server", "--bind", f"127.0.0.1:{port}", "--allow-unsigned"], stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
            while True:
                try:
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
                    connection.request("GET", "/ready")
                    if connection.getresponse().status == 200:
                        break
                except OSError:
                    time.sleep(0.001)
            times.append((time.monotonic() - begin) * 1e3)
            process.terminate()
            process.wait()
        size = os.path.getsize(self.build + "/calotype-server") / 1e6
        print(f"start: ready after {statistics.median(times):.0f} ms (limits {min(times):.0f} and {max(times):.0f}); program of {size:.0f} MB")

    def memory(self):
        """The peak of memory for pictures of 24 megapixels, one at a time and many."""
        code = ("import pyvips, sys; i = pyvips.Image.new_from_file(sys.argv[1]);"
                "i.thumbnail_image(6000, height=4000, size='force').write_to_file(sys.argv[2] + '[Q=85,strip]')")
        self.pictures()
        subprocess.run([self.peers + "/bin/python", "-c", code, PHOTOS + "/dandelion.jpg", self.folder + "/24mp.jpg"], check=True)
        server = self.calotype()
        server.get("/unsafe/rs:fit:64:64/plain/local:///2k.jpg")
        idle, samples, ended = memory(server.pid), [], threading.Event()

        def sample():
            while not ended.is_set():
                samples.append(memory(server.pid))

        thread = threading.Thread(target=sample)
        thread.start()
        for i in range(8):
            server.get(f"/unsafe/rs:fit:512:512/cb:{i}/plain/local:///24mp.jpg")
        one = max(samples)
        samples.clear()
        self.wrk(server, "/unsafe/rs:fit:512:512/cb:%d/plain/local:///24mp.jpg", 16, seconds=4)
        ended.set()
        thread.join()
        print(f"memory: {idle:.0f} MiB idle, {one - idle:.0f} more for 24 megapixels to 512, {max(samples) - idle:.0f} more for 16 at once")
        server.stop()


class Dripping:
    """An origin: /good is a picture, all else sends a byte each second."""

    def __init__(self, path):
        picture = open(path, "rb").read()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", str(len(picture)))
                self.end_headers()
                try:
                    if self.path.startswith("/good"):
                        return self.wfile.write(picture)
                    for byte in picture:
                        self.wfile.write(bytes([byte]))
                        time.sleep(1)
                except OSError:
                    pass

            def log_message(self, *_):
                pass

        class Origin(http.server.ThreadingHTTPServer):
            request_queue_size = 256
            daemon_threads = True

        self.server = Origin(("0.0.0.0", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    bench = Bench(sys.argv[1], sys.argv[2])
    for name in sys.argv[3:] or ["misses", "hits", "overload", "drip", "start", "memory"]:
        getattr(bench, name)()
