#!/usr/bin/env python3
"""Starts three servers, Redis and a bucket on loopback, breaks one part after the other, and prints a table.

usage: cluster.py CALOTYPE-SERVER [--kills N] [--requests N] [--keep]

The bucket is moto's, behind a proxy that fails on demand; the origin counts its requests. A node that is cut off from the others
is in a network namespace of its own, which needs the right to make one. `--kills` is the number of nodes to kill while they load or
store (8), `--requests` that of new images that a node makes while the bucket accepts requests and answers none (2,000; its memory is
compared from 20,000 on). `--keep` leaves everything running after the script, until ^C, with the addresses printed. Ends with 1 when a row does
not hold.
"""
import argparse, concurrent.futures, hashlib, http.client, http.server, json, os, random, shutil, signal, socket, subprocess, sys, tempfile, threading, time, urllib.parse, urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
PHOTOS = [os.path.join(HERE, "../../Examples/Photos", name) for name in ("stream.jpg", "mountains.jpg")]
NODES, TOKEN = 3, "cluster"
FIELDS = {"Authorization": f"Bearer {TOKEN}"}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Quiet(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_): pass

    def reply(self, status, body=b"", fields=()):
        self.send_response(status)
        for name, value in fields: self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD": self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 512

    def __init__(self, handler):
        super().__init__(("", 0), handler)
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_): pass


class Origin:
    """Serves one photograph under any name, another one in each version, slowly, and counts."""
    def __init__(self):
        self.counts, self.delay, self.lock, self.version = {}, 0.3, threading.Lock(), 1
        self.photos = [open(path, "rb").read() for path in PHOTOS]
        origin = self

        class Handler(Quiet):
            def do_GET(self):
                with origin.lock: origin.counts[self.path] = origin.counts.get(self.path, 0) + 1
                time.sleep(origin.delay)
                self.reply(200, origin.photos[origin.version % 2], [("Content-Type", "image/jpeg"), ("Cache-Control", "max-age=3600"), ("ETag", f'"{origin.version}"')])

        self.server = Server(Handler)

    def count(self, name): return self.counts.get("/" + name, 0)


class Proxy:
    """Passes requests on to the bucket, or fails."""
    def __init__(self, port):
        self.mode, self.requests = "pass", 0
        proxy = self

        class Handler(Quiet):
            def forward(self):
                proxy.requests += 1
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if proxy.mode == "503": return self.reply(503, b"<Error><Code>SlowDown</Code></Error>")
                if proxy.mode == "reset": return self.connection.close()
                if proxy.mode == "slow": time.sleep(3)
                if proxy.mode == "stopped":
                    while proxy.mode == "stopped": time.sleep(0.2)
                    return self.connection.close()
                bucket = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                bucket.request(self.command, self.path, body or None, dict(self.headers))
                answer = bucket.getresponse()
                data = answer.read()
                if proxy.mode == "cut" and self.command == "GET": data = data[: len(data) // 2]
                self.reply(answer.status, data, [(n, v) for n, v in answer.getheaders() if n.lower() not in ("content-length", "transfer-encoding", "connection")])

            do_GET = do_PUT = do_DELETE = do_HEAD = do_POST = forward

        self.server = Server(Handler)


def until(condition, seconds=30):
    end = time.time() + seconds
    while time.time() < end:
        if condition(): return True
        time.sleep(0.05)
    return False


class Namespace:
    """A network namespace behind a pair of interfaces, which can be cut."""
    def __init__(self):
        self.name, self.interface = f"calotype-{os.getpid()}", f"ct{os.getpid()}"
        self.outside, self.inside = "10.211.77.1", "10.211.77.2"
        try:
            self.ip("netns", "add", self.name)
            self.ip("link", "add", self.interface, "type", "veth", "peer", "name", "inner", "netns", self.name)
            self.ip("address", "add", self.outside + "/30", "dev", self.interface)
            self.ip("-n", self.name, "address", "add", self.inside + "/30", "dev", "inner")
            self.ip("-n", self.name, "link", "set", "lo", "up")
            self.heal()
        except (OSError, subprocess.CalledProcessError):
            self.remove()
            raise

    def ip(self, *words): subprocess.run(["ip", *words], check=True, stderr=subprocess.DEVNULL)

    def cut(self, way):
        """Drops the packets of both ways, those to the namespace, or those from it."""
        if way != "from": self.ip("route", "replace", "blackhole", self.inside + "/32")
        if way != "to": self.ip("-n", self.name, "route", "replace", "blackhole", self.outside + "/32")

    def heal(self):
        for words in (["route", "delete", "blackhole", self.inside + "/32"], ["-n", self.name, "route", "delete", "blackhole", self.outside + "/32"]):
            subprocess.run(["ip", *words], stderr=subprocess.DEVNULL)
        self.ip("link", "set", self.interface, "up")
        self.ip("-n", self.name, "link", "set", "inner", "up")

    def remove(self):
        for words in (["link", "delete", self.interface], ["netns", "delete", self.name]): subprocess.run(["ip", *words], stderr=subprocess.DEVNULL)


# Asks a node from within its namespace: METHOD, PORT, PATH; prints status and digest.
INSIDE = """
import hashlib, http.client, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[2]), timeout=30)
connection.request(sys.argv[1], sys.argv[3], headers={"Authorization": sys.argv[4]})
response = connection.getresponse()
print(response.status, hashlib.sha256(response.read()).hexdigest())
"""


class Cluster:
    def __init__(self, program, folder, namespace=None):
        self.program, self.folder, self.processes, self.namespace = program, folder, {}, namespace
        # A namespace has a loopback interface of its own.
        self.host = namespace.outside if namespace else "127.0.0.1"
        self.origin = Origin()
        port = free_port()
        self.start("bucket", [shutil.which("moto_server") or sys.exit("moto_server is not in the PATH: pip install 'moto[server]'"), "-p", str(port)])
        if not until(lambda: self.listens(port)): sys.exit("moto does not start")
        self.proxy = Proxy(port)
        bucket = http.client.HTTPConnection("127.0.0.1", port)
        bucket.request("PUT", "/images", headers={"Authorization": "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"})
        bucket.getresponse().read()
        self.redis_port = free_port()
        self.start_redis()
        self.ports = [free_port() for _ in range(NODES)]
        for number in range(NODES): self.start_node(number)

    def listens(self, port):
        with socket.socket() as one: return one.connect_ex(("127.0.0.1", port)) == 0

    def start(self, name, words, **environment):
        log = open(os.path.join(self.folder, name + ".log"), "ab")
        self.processes[name] = subprocess.Popen(words, stdout=log, stderr=log, env={**os.environ, **environment})

    def start_redis(self):
        self.start("redis", [shutil.which("redis-server") or sys.exit("redis-server is not in the PATH"), "--port", str(self.redis_port), "--save", "", "--bind", "127.0.0.1", *([self.host, "--protected-mode", "no"] if self.namespace else [])])
        if not until(lambda: self.listens(self.redis_port)): sys.exit("redis-server does not start")

    def is_inside(self, node): return self.namespace is not None and node == NODES - 1

    def start_node(self, number, **environment):
        folder = os.path.join(self.folder, f"node-{number}")
        os.makedirs(folder, exist_ok=True)
        inside = ["ip", "netns", "exec", self.namespace.name] if self.is_inside(number) else []
        self.start(f"node-{number}", [*inside, self.program], CALOTYPE_BIND=f"127.0.0.1:{self.ports[number]}",
                   CALOTYPE_ALLOW_LOOPBACK_SOURCE_ADDRESSES="true", CALOTYPE_ALLOW_PRIVATE_SOURCE_ADDRESSES="true",
                   CALOTYPE_CACHE_USE="s3", CALOTYPE_CACHE_BUCKET="images", CALOTYPE_CACHE_BUCKET_MIN_COST="0", CALOTYPE_CACHE_S3_REGION="us-east-1", CALOTYPE_CACHE_S3_ACCESS_KEY_ID="test",
                   CALOTYPE_CACHE_S3_SECRET_ACCESS_KEY="test", CALOTYPE_CACHE_S3_ENDPOINT=f"http://{self.host}:{self.proxy.server.port}",
                   CALOTYPE_CACHE_FS_ROOT=folder, CALOTYPE_REDIS_URL=f"redis://{self.host}:{self.redis_port}", CALOTYPE_SECRET=TOKEN, CALOTYPE_ALLOW_UNSIGNED="true",
                   CALOTYPE_LOG_LEVEL="warn", **environment)
        if not until(lambda: self.ask(number, "GET", "/ready")[0] == 200): sys.exit(f"node {number} does not start: {self.folder}/node-{number}.log")

    def stop(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()

    def ask(self, node, method, path):
        """Returns status, time in ms and digest of the body."""
        start = time.time()
        try:
            if self.is_inside(node):
                words = ["ip", "netns", "exec", self.namespace.name, sys.executable, "-c", INSIDE, method, str(self.ports[node]), path, FIELDS["Authorization"]]
                status, digest = subprocess.run(words, capture_output=True, text=True).stdout.split() or (0, "")
                return int(status), 1000 * (time.time() - start), digest
            connection = http.client.HTTPConnection("127.0.0.1", self.ports[node], timeout=30)
            connection.request(method, path, headers=FIELDS)
            response = connection.getresponse()
            return response.status, 1000 * (time.time() - start), hashlib.sha256(response.read()).hexdigest()
        except (OSError, http.client.HTTPException) as error: return 0, 1000 * (time.time() - start), str(error)

    def source(self, name): return f"http://{self.host}:{self.origin.server.port}/{name}"

    def resident(self, node):
        """MiB of memory of a node."""
        with open(f"/proc/{self.processes[f'node-{node}'].pid}/status") as status: return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024

    def load(self, node, names, width=64):
        """Asks a node for many images, eight at a time over connections that stay, and counts the failures."""
        def part(names):
            connection, failed = http.client.HTTPConnection("127.0.0.1", self.ports[node], timeout=30), 0
            for name in names:
                try:
                    connection.request("GET", f"/unsafe/rs:fit:{width}:{width}/plain/{self.source(name)}@jpg", headers=FIELDS)
                    response = connection.getresponse()
                    response.read()
                    failed += response.status != 200
                except (OSError, http.client.HTTPException):
                    failed += 1
                    connection.close()
            connection.close()
            return failed
        return sum(together([(part, names[i::8]) for i in range(8)]))

    def get(self, node, name, width=320): return self.ask(node, "GET", f"/unsafe/rs:fit:{width}:{width}/plain/{self.source(name)}@jpg")

    def metric(self, name):
        total = 0
        for port in self.ports:
            try:
                with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers=FIELDS), timeout=5) as page: lines = page.read().decode().splitlines()
            except OSError: continue
            total += sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name) and not line.startswith("#"))
        return int(total)

    def purge(self, node, name): return self.ask(node, "POST", f"/purge?source={urllib.parse.quote(self.source(name), safe='')}")


def together(calls):
    with concurrent.futures.ThreadPoolExecutor(64) as pool: return [future.result() for future in [pool.submit(*call) for call in calls]]


def split_brain(program, folder, row):
    """Cuts one node off, purges on both sides, and looks for old images after it is back."""
    try: namespace = Namespace()
    except (OSError, subprocess.CalledProcessError): return print("     split brain: not shown, because this machine allows no network namespaces")
    os.makedirs(folder)
    cluster = None
    try:
        cluster = Cluster(program, folder, namespace)
        origin, last = cluster.origin, NODES - 1
        for way, words in (("both", "in both ways"), ("to", "from what others send"), ("from", "from the others")):
            here, there = f"{way}-here", f"{way}-there"
            before = {name: {cluster.get(node, name)[2] for node in range(NODES)} for name in (here, there)}
            time.sleep(1)
            namespace.cut(way)
            time.sleep(1)
            origin.version += 1
            first, second = cluster.purge(0, here), cluster.purge(last, there)
            # The node that is cut off may have heard of the purge, and cannot load the image again.
            alive = {cluster.get(node, name)[0] for node in range(NODES) for name in (here, there) if node != last or name != here}
            namespace.heal()
            start = time.time()
            # A purge that was not stored has failed, and is asked for again.
            if second[0] >= 400: second_again = until(lambda: cluster.purge(last, there)[0] < 300, 15)
            else: second_again = True
            new = lambda: all(cluster.get(node, name)[2] not in before[name] for node in range(NODES) for name in (here, there))
            healed = until(new, 15)
            took = time.time() - start
            late = sum(cluster.get(node, name)[2] in before[name] for _ in range(5) for node in range(NODES) for name in (here, there))
            row(f"a node cut off {words}, purges on both sides", first[0] < 300 and second_again and healed and late == 0 and all(len(old) == 1 for old in before.values()) and alive == {200},
                f"purges {first[0]} and {second[0]} ({second[1]:.0f} ms); equal after {took:.1f} s, {late} old images later")
    finally:
        if cluster: cluster.stop()
        namespace.remove()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    rows, serial = [], iter(range(10_000))

    def row(name, holds, figures):
        rows.append(holds)
        print(f"{'ok  ' if holds else 'FAIL'} {name:58} {figures}", flush=True)

    def traffic(cluster, seconds, nodes=range(NODES)):
        """Asks for new images at all nodes, and returns the failures and the 95th of 100 latencies."""
        end, results = time.time() + seconds, []
        while time.time() < end:
            name = f"t{next(serial)}"
            results += together([(cluster.get, node, name) for node in nodes])
        times = sorted(time for status, time, _ in results if status == 200)
        return sum(status != 200 for status, *_ in results), times[int(len(times) * 0.95)] if times else 0, len(results)

    folder = tempfile.mkdtemp(prefix="calotype-cluster-")
    cluster = Cluster(arguments.program, folder)
    try:
        origin = cluster.origin
        before = cluster.metric("decodes_total")
        results = together([(cluster.get, i % NODES, "herd") for i in range(300)])
        decodes = cluster.metric("decodes_total") - before
        row("300 equal requests at 3 nodes", origin.count("herd") == 1 and decodes == 1 and {r[0] for r in results} == {200} and len({r[2] for r in results}) == 1,
            f"{origin.count('herd')} fetch, {decodes} decode, {len({r[2] for r in results})} body, slowest {max(r[1] for r in results):.0f} ms")
        origin.delay = 3
        results = together([(cluster.get, i % NODES, "slow") for i in range(300)])
        row("the same, with an origin of 3 s", origin.count("slow") <= 2 and {r[0] for r in results} == {200}, f"{origin.count('slow')} fetches")
        origin.delay = 0.05
        base = traffic(cluster, 3)
        row("baseline: new images at 3 nodes", base[0] == 0, f"{base[2]} requests, p95 {base[1]:.0f} ms")
        cluster.processes["redis"].send_signal(signal.SIGSTOP)
        now = traffic(cluster, 5)
        row("Redis frozen", now[0] == 0 and now[1] <= base[1] + 250, f"{now[0]} failed of {now[2]}, p95 {now[1]:.0f} ms")
        cluster.processes["redis"].send_signal(signal.SIGCONT)
        cluster.processes["redis"].kill()
        cluster.processes["redis"].wait()
        now = traffic(cluster, 3)
        row("Redis gone", now[0] == 0 and now[1] <= base[1] + 250, f"{now[0]} failed of {now[2]}, p95 {now[1]:.0f} ms")
        cluster.start_redis()
        time.sleep(2.5)
        origin.delay = 0.3
        results = together([(cluster.get, i % NODES, "again") for i in range(60)])
        row("leases again 2.5 s after Redis is back, empty", origin.count("again") == 1, f"{origin.count('again')} fetch")
        origin.delay = 0.05
        for mode in ("503", "reset", "slow", "cut"):
            cluster.proxy.mode = mode
            now = traffic(cluster, 4)
            row(f"bucket: {mode}", now[0] == 0 and now[1] <= base[1] + 700, f"{now[0]} failed of {now[2]}, p95 {now[1]:.0f} ms")
        cluster.proxy.mode = "pass"
        holder = threading.Thread(target=lambda: together([(cluster.get, 0, "dying")] * 3))
        origin.delay = 1
        holder.start()
        time.sleep(0.4)
        cluster.processes["node-0"].kill()
        cluster.processes["node-0"].wait()
        results = together([(cluster.get, 1 + i % 2, "dying") for i in range(40)])
        holder.join()
        slowest = max(r[1] for r in results)
        row("the node that loads is killed", {r[0] for r in results} == {200} and slowest < 1000 + 3500 + 1000, f"all of 40 answered, slowest {slowest:.0f} ms")
        origin.delay = 0.05
        cluster.start_node(0)
        for node in range(NODES): cluster.get(node, "purged")
        first = origin.count("purged")
        start = time.time()
        cluster.purge(0, "purged")
        took = 1000 * (time.time() - start)
        time.sleep(1)
        results = [cluster.get(node, "purged") for node in (1, 2, 0)]
        row("a purge at one node, 1 s later at the others", first == 1 and origin.count("purged") == 2, f"{first} fetch before, {origin.count('purged') - first} after; purged in {took:.0f} ms")
        cluster.processes["node-2"].send_signal(signal.SIGSTOP)
        cluster.purge(0, "purged")
        cluster.get(0, "purged")
        count = origin.count("purged")
        cluster.processes["node-2"].send_signal(signal.SIGCONT)
        time.sleep(1)
        cluster.processes["node-2"].kill()
        cluster.processes["node-2"].wait()
        cluster.start_node(2)
        cluster.get(2, "purged")
        row("a node that slept takes the new image from the bucket", origin.count("purged") == count, f"{origin.count('purged') - count} fetches")
        failed, wrong, slowest, expected = 0, 0, 0, cluster.get(1, "expected")[2]
        for number in range(arguments.kills):
            name, origin.delay = f"kill{number}", 0.1
            holder = threading.Thread(target=cluster.get, args=(0, name))
            holder.start()
            time.sleep(0.02)
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                others = [pool.submit(cluster.get, 1 + i % 2, name) for i in range(6)]
                time.sleep(random.uniform(0, 0.5))
                cluster.processes["node-0"].kill()
                results = [other.result() for other in others]
            cluster.processes["node-0"].wait()
            holder.join()
            cluster.start_node(0)
            results.append(cluster.get(0, name))
            failed += sum(r[0] != 200 for r in results)
            wrong += sum(r[0] == 200 and r[2] != expected for r in results)
            slowest = max(slowest, max(r[1] for r in results))
        row(f"{arguments.kills} nodes killed while they load or store", failed == wrong == 0 and slowest < 3500 + 1000, f"{failed} failed, {wrong} wrong, slowest {slowest:.0f} ms")
        # Small images, from a small cache: what is left to grow is what waits for the bucket.
        cluster.processes["node-0"].kill()
        cluster.processes["node-0"].wait()
        cluster.start_node(0, CALOTYPE_CACHE_MEMORY_SIZE=str(16 << 20))
        origin.delay = 0
        request = urllib.request.Request(f"http://127.0.0.1:{cluster.ports[1]}/unsafe/rs:fit:320:320/plain/{cluster.source('expected')}@jpg", headers=FIELDS)
        with urllib.request.urlopen(request) as small: origin.photos = [small.read()] * 2
        cluster.proxy.mode = "stopped"
        sizes, failed, begin = [], 0, time.time()
        for part in range(10):
            failed += cluster.load(0, [f"stopped{part}-{i}" for i in range(arguments.requests // 10)])
            sizes.append(cluster.resident(0))
        cluster.proxy.mode = "pass"
        row(f"{arguments.requests:,} new images while the bucket is stopped", failed == 0 and (arguments.requests < 20_000 or max(sizes[2:]) <= 1.1 * sizes[2]),
            f"{failed} failed, {' '.join(f'{size:.0f}' for size in sizes)} MiB, {time.time() - begin:.0f} s")
        if arguments.keep:
            print("nodes:", " ".join(f"http://127.0.0.1:{port}" for port in cluster.ports), "(^C ends)", flush=True)
            signal.pause()
        cluster.stop()
        split_brain(arguments.program, os.path.join(folder, "split"), row)
    except KeyboardInterrupt: pass
    finally: cluster.stop()
    if not all(rows):
        print(f"logs: {folder}")
        sys.exit(1)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__": main()
