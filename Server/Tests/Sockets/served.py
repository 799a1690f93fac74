#!/usr/bin/env python3
"""served.py PROGRAM: the image server over real sockets. Each function whose name begins with check_ is a test."""
import base64
import hashlib
import hmac
import json
import os
import signal
import socket
import struct
import sys
import tempfile
import threading
import time
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from operation import Operation  # noqa: E402
from origin import Origin  # noqa: E402
from program import Program  # noqa: E402

PHOTOS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "Examples", "Photos")
KEY, SALT, OLD_KEY, OLD_SALT = b"key of the tests", b"salt of the tests", b"an older key", b"an older salt"
TOKEN = {"Authorization": "Bearer open sesame"}


def sign(path, key=KEY, salt=SALT):
    digest = hmac.new(key, salt + path.encode(), hashlib.sha256).digest()
    return "/" + base64.urlsafe_b64encode(digest).decode().rstrip("=") + path


def size(body):
    """The width and height of a JPEG, PNG, GIF or WebP."""
    if body[:4] == b"\x89PNG":
        return struct.unpack(">II", body[16:24])
    if body[:3] == b"GIF":
        return struct.unpack("<HH", body[6:10])
    if body[:4] == b"RIFF" and body[12:16] == b"VP8 ":
        return tuple(side & 0x3FFF for side in struct.unpack("<HH", body[26:30]))
    if body[:4] == b"RIFF" and body[12:16] == b"VP8L":
        bits = struct.unpack("<I", body[21:25])[0]
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if body[:4] == b"RIFF":
        return tuple(int.from_bytes(body[at:at + 3], "little") + 1 for at in (24, 27))
    position = 2
    while position < len(body):
        marker, length = body[position + 1], struct.unpack(">H", body[position + 2:position + 4])[0]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", body[position + 5:position + 9])
            return width, height
        position += 2 + length
    raise AssertionError("no size")


def same(what, found, expected):
    assert found == expected, f"{what} is {found!r}, not {expected!r}"


class Suite(Operation):
    def __init__(self, program, folder):
        self.servers = []
        self.path, self.folder, self.photos = program, folder, os.path.realpath(PHOTOS)
        self.origin = Origin(PHOTOS)
        self.server = self.start(
            "open", "--allow-unsigned", "--allow-loopback-source-addresses", "--local-filesystem-root",
            os.path.realpath(PHOTOS), "--auto-webp", "--enable-debug-headers", "--cache-fs-root", folder + "/cache")
        lines = [(KEY, SALT), (OLD_KEY, OLD_SALT)]
        self.keys = folder + "/keys"
        self.environment = {
            "CALOTYPE_KEY": ",".join(key.hex() for key, _ in lines),
            "CALOTYPE_SALT": ",".join(salt.hex() for _, salt in lines),
            "CALOTYPE_SECRET": "open sesame", "CALOTYPE_ALLOWED_SOURCES": "local://,http://127.0.0.1",
            "CALOTYPE_PRESETS": "small=rs:fit:50:50"}
        self.signed = self.start(
            "signed", "--local-filesystem-root", os.path.realpath(PHOTOS), environment=self.environment)

    def start(self, name, *options, environment=None):
        self.servers.append(Program(self.path, f"{self.folder}/{name}.log", *options, environment=environment))
        return self.servers[-1]

    def remote(self, name, options="rs:fit:100:100"):
        return f"/unsafe/{options}/plain/{self.origin.url}/{name}"

    def local(self, name, options="rs:fit:100:100"):
        return f"/unsafe/{options}/plain/local:///{name}"

    # Signatures and refusals.

    def check_signatures(self):
        path = "/rs:fit:60:60/plain/local:///dandelion.jpg"
        same("signed", self.signed.get(sign(path), **TOKEN).status, 200)
        before = self.signed.metric("encodes_total", **TOKEN)
        same("signed by the older key", self.signed.get(sign(path, OLD_KEY, OLD_SALT), **TOKEN).status, 200)
        same("pictures that another key makes", self.signed.metric("encodes_total", **TOKEN), before)
        for wrong in ("/unsafe" + path, sign(path)[:-4] + ".png", sign(path, b"other"), "/" + path[1:]):
            same(wrong, self.signed.get(wrong, **TOKEN).status, 403)
        same("no token", self.signed.get(sign(path)).status, 403)
        # The last character of a signature has two bits that nothing uses.
        signed = sign(path)
        last = signed.index("/", 1) - 1
        tail = chr(ord(signed[last]) + 1)
        same("another tail", self.signed.get(signed[:last] + tail + signed[last + 1:], **TOKEN).status, 403)

    def check_statuses(self):
        for options, name, status in [
            ("rs:fit:50:50", "none.jpg", 404), ("rs:fit:50:50", "status/500", 502), ("rs:fit:50:50", "status/403", 403),
            ("rs:fit:50:50", "text", 422), ("unknown:1", "dandelion.jpg", 404), ("w:-1", "dandelion.jpg", 404),
            ("exp:1000", "dandelion.jpg", 404), ("msr:1", "dandelion.jpg", 403), ("w:NaN", "dandelion.jpg", 404),
            ("rs:fit:50:50/pr:none", "dandelion.jpg", 404), ("hs:md5:00", "dandelion.jpg", 404),
            ("hs:md5:" + "0" * 32, "dandelion.jpg", 422), ("f:tiff", "dandelion.jpg", 422),
        ]:
            reply = self.server.get(self.remote(name, options))
            same(f"{options} {name}", reply.status, status)
            assert reply["X-Error-Code"], name
        reply = self.server.get(self.remote("none.jpg?json"), Accept="application/problem+json")
        same("type", reply["Content-Type"], "application/problem+json")
        same("scheme", self.server.get("/unsafe/plain/ftp://127.0.0.1/a.jpg").status, 404)
        same("POST", self.server.get(self.local("dandelion.jpg"), method="POST").status, 405)
        same("no route", self.server.get("/favicon.ico").status, 404)
        same("a long URL", self.server.get("/unsafe/plain/local:///" + "a" * 9000).status, 404)
        for path in ("..%2F..%2Fetc/passwd", "../../etc/passwd", "%2e%2e/Package.swift", "none.jpg", "/"):
            same(path, self.server.get("/unsafe/plain/local:///" + path).status, 404)

    def check_addresses(self):
        """Without switches, no address of this machine or its networks is reached, not even by a redirect."""
        for host in ("127.0.0.1", "localhost", "[::1]", "0.0.0.0", "169.254.169.254", "[::ffff:127.0.0.1]", "2130706433"):
            path = f"/plain/http://{host}:{self.origin.server.server_address[1]}/dandelion.jpg"
            same(host, self.signed.get(sign(path), **TOKEN).status, 404)
        same("requests", self.origin.count("/dandelion.jpg?never"), 0)
        to = self.server.get(self.remote("to/http://169.254.169.254/latest"))
        same("a redirect", to.status, 404)
        path = "/plain/https://example.com/cat.jpg"
        reply = self.signed.get(sign(path), **TOKEN)
        same("a source that is not allowed", (reply.status, reply["X-Error-Code"]), (404, "sourceRefused"))

    # HTTP.

    def check_negotiation(self):
        path = self.local("dandelion.jpg", "rs:fit:90:90")
        webp = self.server.get(path, Accept="image/webp,*/*;q=0.8")
        jpeg = self.server.get(path, Accept="image/webp;q=0,*/*")
        same("type", webp["Content-Type"], "image/webp")
        same("type without WebP", jpeg["Content-Type"], "image/jpeg")
        same("vary", (webp["Vary"], jpeg["Vary"]), ("Accept", "Accept"))
        assert webp["ETag"] != jpeg["ETag"]
        named = self.server.get(path + "@png", Accept="image/webp")
        same("a named format", (named["Content-Type"], named["Vary"]), ("image/png", None))

    def check_conditions(self):
        path = self.local("stream.jpg", "rs:fit:120:120")
        whole = self.server.get(path)
        tag, length = whole["ETag"], len(whole.body)
        same("length", whole["Content-Length"], str(length))
        again = self.server.get(path, If_None_Match=f'"other", {tag}')
        same("304", (again.status, again.body, again["ETag"]), (304, b"", tag))
        part = self.server.get(path, Range="bytes=10-19")
        same("206", (part.status, part.body, part["Content-Range"]),
             (206, whole.body[10:20], f"bytes 10-19/{length}"))
        same("416", self.server.get(path, Range=f"bytes={length}-").status, 416)
        head = self.server.get(path, method="HEAD")
        same("HEAD", (head.status, head["Content-Length"], head["ETag"], head.body), (200, str(length), tag, b""))
        fresh = self.server.get(self.local("stream.jpg", "rs:fit:121:121"), method="HEAD")
        same("HEAD of what is not cached", (fresh.status, int(fresh["Content-Length"]) > 0), (200, True))
        same("HEAD of nothing", self.server.get(self.local("none"), method="HEAD").status, 404)
        same("max-age", whole["Cache-Control"], "max-age=31536000, public")
        same("security", whole["X-Content-Type-Options"], "nosniff")
        assert "sandbox" in whole["Content-Security-Policy"]
        same("name", whole["Content-Disposition"], 'inline; filename="stream.jpg"')
        name = self.server.get(self.local("stream.jpg", "rs:fit:120:120/fn:cat/att:1"))
        same("another name", name["Content-Disposition"], 'attachment; filename="cat.jpg"')
        same("the picture of both", name["ETag"], tag)
        same("request id", self.server.get(path, X_Request_ID="abc-1")["X-Request-ID"], "abc-1")

    def check_raw(self):
        with open(os.path.join(PHOTOS, "pan.gif"), "rb") as file:
            data = file.read()
        same("local", self.server.get(self.local("pan.gif", "raw:1")).body, data)
        remote = self.server.get(self.remote("pan.gif", "raw:1"))
        same("remote", (remote.body, remote["Content-Type"]), (data, "image/gif"))

    # Images that options name.

    def check_named_images(self):
        def option(name, text):
            return f"{name}:" + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
        url = f"{self.origin.url}/dandelion.jpg?mark"
        plain = self.server.get(self.remote("mountains.jpg", "w:90") + "@png")
        marked = [self.server.get(self.remote("mountains.jpg", f"w:{width}/wm:1:ce:0:0:1/" + option("wmu", url)) + "@png")
                  for width in (90, 91)]
        same("statuses", [reply.status for reply in marked], [200, 200])
        assert marked[0].body != plain.body, "no watermark"
        same("loads of the watermark", self.origin.count("/dandelion.jpg?mark"), 1)
        for mark, status in [("/status/404", 404), ("/status/500", 502), ("/text", 422), ("/to/http://169.254.169.254/", 404)]:
            reply = self.server.get(self.remote("mountains.jpg", "w:90/wm:1/" + option("wmu", self.origin.url + mark)))
            same(mark, reply.status, status)
        path = sign("/w:20/wm:1/" + option("wmu", "https://example.com/cat.jpg") + "/plain/local:///mountains.jpg")
        same("a watermark that is not allowed", self.signed.get(path, **TOKEN)["X-Error-Code"], "sourceRefused")
        # Text.
        small, large = [self.server.get(self.local("mountains.jpg", "w:200/wm:1:ce/" + option("wmt", text)) + "@png")
                        for text in ("Calotype &amp; <b>text</b>", "<span size='40pt' foreground='#fff'>Calotype</span>")]
        same("text", (small.status, large.status), (200, 200))
        assert len({plain.body, small.body, large.body}) == 3
        # Each look is another picture.
        looks = ["a", *(f"<{name}>a</{name}>" for name in ("b", "i", "u", "s"))] + [
            f"<span {look}>a</span>" for look in ("foreground='blue'", "size='12pt'", "weight='100'")]
        looks += ["a<sup>a</sup>", "a<sub>a</sub>", "a\na", "aa"]
        bodies = [self.server.get(self.local("mountains.jpg", "w:60/wm:1:ce:0:0:0.8/" + option("wmt", text)) + "@png").body
                  for text in looks]
        same("different looks", len(set(bodies)), len(looks))
        same("markup", self.server.get(self.local("mountains.jpg", "wm:1/" + option("wmt", "<tt>a</tt>"))).status, 404)
        # The fallback of a request.
        reply = self.server.get(self.remote("none.jpg?fiu", "w:30/" + option("fiu", url)))
        same("fallback", (reply.status, reply["X-Fallback"], size(reply.body)[0]), (200, "1", 30))
        # Style sheets, watermarks of a folder, and no SVG.
        marks = self.folder + "/marks"
        os.mkdir(marks)
        with open(os.path.join(PHOTOS, "brushes.png"), "rb") as file, open(marks + "/logo.png", "wb") as copy:
            copy.write(file.read())
        with open(marks + "/square.svg", "w") as file:
            file.write("<svg xmlns='http://www.w3.org/2000/svg' width='8' height='8'><rect id='a' width='8' height='8'/></svg>")
        server = self.start("marks", "--allow-unsigned", "--local-filesystem-root", marks, "--watermark-dir", marks)
        black = server.get("/unsafe/plain/local:///square.svg@png")
        red = server.get("/unsafe/" + option("st", "#a { fill: #f00 } </style>") + "/plain/local:///square.svg@png")
        same("drawings", (black.status, red.status, size(red.body)), (200, 200, (8, 8)))
        assert black.body != red.body, "no style"
        same("a watermark of the folder", server.get(
            "/unsafe/wm:1/" + option("wmu", "logo.png") + "/plain/local:///logo.png@jpg").status, 200)
        same("none of it", server.get(
            "/unsafe/wm:1/" + option("wmu", "none.png") + "/plain/local:///logo.png@jpg").status, 404)
        server = self.start("bare", "--allow-unsigned", "--local-filesystem-root", marks, "--sandbox", "none")
        same("text without SVG", server.get(
            "/unsafe/wm:1/" + option("wmt", "a") + "/plain/local:///logo.png@jpg").status, 422)

    # Geometry.

    def check_sizes(self):
        source = self.server.get(self.local("mountains.jpg", "rs:fit:1:1"))
        width, height = int(source["X-Origin-Width"]), int(source["X-Origin-Height"])
        wide = width > height
        for options, expected in [
            ("rs:fit:200:200", (200, round(200 * height / width)) if wide else (round(200 * width / height), 200)),
            ("rs:fill:120:80", (120, 80)), ("rs:force:90:110", (90, 110)), ("w:150", (150, round(150 * height / width))),
            ("h:60", (round(60 * width / height), 60)), ("rs:fill:60:60/dpr:2", (120, 120)),
            ("rs:fill:100:50/pd:5:10", (120, 60)), ("rs:fit:100:100/ex:1", (100, 100)), ("c:64:32", (64, 32)),
            ("rs:fill:100:50/rot:90", (100, 50)), ("rs:fill:80:80/sm:1/g:sm", (80, 80)),
            (f"w:{width * 2}", (width, height)),
        ]:
            reply = self.server.get(self.local("mountains.jpg", options) + "@jpg")
            same(options, (reply.status, size(reply.body) if reply.status == 200 else reply.body), (200, expected))
        for name in ("dandelion.jpg", "dogs.webp", "brushes.png", "pan.gif"):
            reply = self.server.get(self.local(name, "rs:fill:40:30"))
            same(name, (reply.status, size(reply.body)), (200, (40, 30)))
        # A border of one colour is found, and then cut off before the rest is planned.
        padded = self.local("dandelion.jpg", "rs:fill:80:60/pd:20/bg:0f0") + "@png"
        trimmed = f"/unsafe/t:5/rs:fit:40:40/plain/{f'http://127.0.0.1:{self.server.port}'}{padded.replace('%', '%25')}"
        reply = self.server.get(trimmed.replace("@png", "%40png") + "@png")
        same("trim", (reply.status, size(reply.body) if reply.status == 200 else reply.body), (200, (40, 30)))

    # Shared work.

    def check_equal_requests(self):
        before = {name: self.server.metric(name) for name in ("decodes_total", "encodes_total")}
        self.origin.gate.clear()
        path, replies = self.remote("gated/dandelion.jpg", "rs:fit:77:77"), []
        leader = self.server.begin(path)
        self.origin.wait_for("/gated/dandelion.jpg")
        threads = [threading.Thread(target=lambda: replies.append(self.server.get(path))) for _ in range(100)]
        for thread in threads:
            thread.start()
        for _ in range(2000):
            if self.server.metric("requests_in_progress") >= 102:
                break
            time.sleep(0.01)
        else:
            raise AssertionError("the requests do not arrive")
        leader.close()
        time.sleep(0.05)
        self.origin.gate.set()
        for thread in threads:
            thread.join()
        same("statuses", {reply.status for reply in replies}, {200})
        same("bodies", len({reply.body for reply in replies}), 1)
        same("transfers", self.origin.count("/gated/dandelion.jpg"), 1)
        for name, count in before.items():
            same(name, self.server.metric(name) - count, 1)

    def check_cached(self):
        path = self.remote("meadow.webp", "rs:fit:66:66")
        first = self.server.get(path)
        count = self.origin.count("/meadow.webp")
        again = self.server.get("/unsafe/h:66/w:66/" + path.split("/", 3)[3] + "@jpg")
        same("other spelling", again.status, 200)
        for _ in range(5):
            same("body", self.server.get(path).body, first.body)
        assert self.origin.count("/meadow.webp") <= count + 1

    def check_restart(self):
        """Results outlive the process."""
        options = ["--allow-unsigned", "--local-filesystem-root", os.path.realpath(PHOTOS), "--cache-fs-root",
                   self.folder + "/kept"]
        server = self.start("first", *options)
        path = self.local("sunset.webp", "rs:fit:70:70")
        body = server.get(path).body
        same("status of the process", server.end(), 0)
        server = self.start("second", *options)
        same("body", server.get(path).body, body)
        same("decodes", server.metric("decodes_total"), 0)
        server.end()

    def check_purge(self):
        path = sign("/ct:cats/rs:fit:40:40/plain/local:///dogs.webp")
        encodes = lambda: self.signed.metric("encodes_total", **TOKEN)  # noqa: E731
        same("status", self.signed.get(path, **TOKEN).status, 200)
        before = encodes()
        self.signed.get(path, **TOKEN)
        same("cached", encodes(), before)
        same("no token", self.signed.get("/purge?tag=cats", method="POST").status, 403)
        same("no selection", self.signed.get("/purge", method="POST", **TOKEN).status, 400)
        same("purged", self.signed.get("/purge?tag=cats", method="POST", **TOKEN).body, b'{"removed":1}\n')
        self.signed.get(path, **TOKEN)
        same("made anew", encodes(), before + 1)

    # Clients that leave, and the end.

    def check_disconnect(self):
        self.origin.ended.clear()
        client = self.server.begin(self.remote("hanging"))
        self.origin.wait_for("/hanging")
        start = time.monotonic()
        client.close()
        assert self.origin.ended.wait(5), "the transfer goes on"
        print(f"  a transfer ends {1000 * (time.monotonic() - start):.0f} ms after its client left")
        client = self.server.begin(self.remote("large.png", "rs:fit:3000:3000/bl:40") + "@webp")
        for _ in range(2000):
            if self.server.metric("inflight_bytes") > 0:
                break
            time.sleep(0.005)
        else:
            raise AssertionError("nothing is rendered")
        start = time.monotonic()
        client.close()
        while self.server.metric("inflight_bytes") > 0:
            assert time.monotonic() - start < 2, "the work goes on"
        took = 1000 * (time.monotonic() - start)
        print(f"  pixels are freed {took:.0f} ms after their client left")
        # 50 ms on a machine that is idle.
        assert took < float(os.environ.get("CALOTYPE_TEST_MILLISECONDS", "400")), took

    def check_timeouts(self):
        """A request that does not arrive ends its connection, however long idle ones may stay open."""
        server = self.start("timeouts", "--allow-unsigned", "--read-request-timeout", "1s", "--keep-alive-timeout", "60s")
        for beginning in (b"", b"GET /health HTTP/1.1\r\nHost: a\r\n"):
            client = socket.create_connection(("127.0.0.1", server.port), timeout=30)
            client.sendall(beginning)
            same("end of a connection", client.recv(1), b"")
            client.close()
        same("kept alive", server.get("/health")["Connection"], None)
        same("end", server.end(), 0)
        server = self.start("closing", "--allow-unsigned", "--keep-alive-timeout", "0")
        same("not kept alive", server.get("/health")["Connection"], "close")
        same("end", server.end(), 0)

    # Facts, and the playground.

    def check_info(self):
        with open(os.path.join(PHOTOS, "dandelion.jpg"), "rb") as file:
            data = file.read()
        reply = self.server.get("/info/unsafe/plain/local:///dandelion.jpg")
        same("type", (reply.status, reply["Content-Type"]), (200, "application/json"))
        same("facts", json.loads(reply.body), {
            "size": len(data), "format": "jpeg", "mime_type": "image/jpeg", "width": size(data)[0],
            "height": size(data)[1], "orientation": 1})
        options = ("cs:1/b:1/sf:1/pn:1/a:1:1/c:200:100:sm/p:8/avg:1/dc:1:1/bh:4:3/th:1/phash:1/chs:md5:sha256")
        facts = json.loads(self.server.get(f"/info/unsafe/{options}/plain/local:///dandelion.jpg").body)
        same("hashes", facts["hashsums"], {name: hashlib.new(name, data).hexdigest() for name in ("md5", "sha256")})
        same("colours", (facts["colorspace"], facts["bands"], facts["sample_format"]), ("srgb", 3, "uchar"))
        same("swatches", len(facts["dominant_colors"]), 6)
        same("lengths", (len(facts["palette"]), len(facts["blurhash"]), len(facts["perceptual_hash"])), (8, 28, 16))
        assert 0 <= facts["crop"]["left"] < 1 and abs(facts["crop"]["width"] - 200 / 4608) < 1e-9, facts["crop"]
        again = self.server.get("/info/unsafe/plain/local:///dandelion.jpg", If_None_Match=reply["ETag"])
        same("304", (again.status, again.body), (304, b""))
        head = self.server.get("/info/unsafe/plain/local:///dandelion.jpg", method="HEAD")
        same("HEAD", (head.status, head["Content-Length"], head.body), (200, str(len(reply.body)), b""))
        # The first bytes are read, and the transfer ends.
        large = json.loads(self.server.get(f"/info/unsafe/plain/{self.origin.url}/endless.png").body)
        same("a large picture", (large["width"], large["height"], large["size"]), (5000, 5000, 200 << 20))
        assert self.origin.left.wait(10), "the transfer goes on"
        for options, name, status in [
            ("w:10", "dandelion.jpg", 404), ("do:1", "dandelion.jpg", 404), ("exp:1000", "dandelion.jpg", 404),
            ("msr:1", "dandelion.jpg", 403), ("pg:1", "dandelion.jpg", 422), ("s:1", "none.jpg", 404),
            ("s:1", "text", 422), ("s:1", "status/500", 502), ("hs:md5:" + "0" * 32, "dandelion.jpg", 422),
        ]:
            reply = self.server.get(f"/info/unsafe/{options}/plain/{self.origin.url}/{name}")
            same(f"{options} {name}", (reply.status, bool(reply["X-Error-Code"])), (status, True))
        # The text that is signed has no /info.
        path = "/plain/local:///dandelion.jpg"
        same("signed", self.signed.get("/info" + sign(path), **TOKEN).status, 200)
        same("unsigned", self.signed.get("/info/unsafe" + path, **TOKEN).status, 403)
        same("no token", self.signed.get("/info" + sign(path)).status, 403)

    def check_playground(self):
        same("off", self.server.get("/playground").status, 404)
        environment = dict(self.environment)
        server = self.start("playground", "--playground", "--local-filesystem-root", os.path.realpath(PHOTOS),
                            environment=environment)
        try:
            replies = [server.get("/playground" + name) for name in ("", "/playground.css", "/playground.js")]
            for reply in replies:
                policy = reply["Content-Security-Policy"]
                same("file", (reply.status, "default-src 'none'" in policy, "unsafe" in policy), (200, True, False))
            path = "/playground/sign?path=%2Frs:fit:50:50%2Fplain%2Flocal:%2F%2F%2Fdandelion.jpg"
            for fields in ({}, {"Authorization": "Bearer other"}):
                reply = server.get(path, method="POST", **fields)
                same("no secret", (reply.status, reply["WWW-Authenticate"]), (401, 'Bearer realm="playground"'))
                replies += [reply, server.get("/playground/options.json", **fields)]
                same("no table", replies[-1].status, 401)
            same("GET", server.get(path, **TOKEN).status, 405)
            reply = server.get(path, method="POST", **TOKEN)
            replies += [reply, server.get("/playground/options.json", **TOKEN),
                        server.get("/playground/sign?path=/w:x/plain/a", method="POST", **TOKEN)]
            same("a mistake", replies[-1].status, 404)
            url = json.loads(reply.body)["urls"][0]
            picture = server.get(url, **TOKEN)
            same("signed", (picture.status, max(size(picture.body))), (200, 50))
            same("another", server.get(url.replace("50:50", "60:60"), **TOKEN).status, 403)
            options = [names for option in json.loads(replies[-2].body)["options"] for names in option["names"]]
            assert {"width", "rs", "quality", "g"} <= set(options), options
            secrets = [KEY, SALT, OLD_KEY, OLD_SALT, b"open sesame"]
            for reply in replies:
                text = reply.body + str(reply.fields).encode()
                for secret in secrets:
                    for form in (secret, secret.hex().encode(), base64.b64encode(secret)):
                        assert form not in text, f"{form} is in a response"
        finally:
            server.end()
        # Without a secret, only requests to this machine by its name are answered.
        server = self.start("local", "--playground", "--allow-unsigned", "--local-filesystem-root",
                            os.path.realpath(PHOTOS))
        try:
            same("by its name", server.get("/playground/options.json", Host="localhost").status, 200)
            same("by another", server.get("/playground/options.json", Host="evil.example").status, 403)
        finally:
            server.end()

    def check_health(self):
        same("health", (self.server.get("/health").status, self.server.get("/health").body), (200, b"imgproxy is running"))
        same("ready", self.server.get("/ready").status, 200)
        same("metrics need the token", self.signed.get("/metrics").status, 403)
        for name in ("requests_total", "status_codes_total", "request_duration_seconds_bucket", "workers"):
            assert self.server.metric(name) > 0, name

    def check_reload(self):
        """SIGHUP replaces presets, whole or not at all."""
        folder = self.folder + "/presets"
        with open(folder, "w") as file:
            file.write("small=rs:fit:30:30\n")
        server = self.start("reload", "--allow-unsigned", "--local-filesystem-root", os.path.realpath(PHOTOS),
                            "--presets-path", folder)
        path = "/unsafe/pr:small/plain/local:///dandelion.jpg@png"
        same("before", max(size(server.get(path).body)), 30)
        with open(folder, "w") as file:
            file.write("small=rs:fit:40:40\n")
        server.process.send_signal(signal.SIGHUP)
        for _ in range(200):
            if max(size(server.get(path).body)) == 40:
                break
            time.sleep(0.02)
        same("after", max(size(server.get(path).body)), 40)
        with open(folder, "w") as file:
            file.write("small=nonsense:1\n")
        server.process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        same("after nonsense", max(size(server.get(path).body)), 40)
        same("end", server.end(), 0)

    def check_the_end(self):
        """SIGTERM completes work in flight."""
        self.origin.gate.clear()
        server = self.start("last", "--allow-unsigned", "--allow-loopback-source-addresses")
        replies = []
        thread = threading.Thread(
            target=lambda: replies.append(server.get(self.remote("gated/mountains.jpg", "rs:fit:50:50"))))
        thread.start()
        self.origin.wait_for("/gated/mountains.jpg")
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        self.origin.gate.set()
        thread.join()
        same("the last answer", (replies[0].status, size(replies[0].body)[0]), (200, 50))
        same("its connection", replies[0]["Connection"], "close")
        same("status of the process", server.process.wait(20), 0)

    def run(self, names):
        checks = [name for name in dir(self) if name.startswith("check_") and (not names or name[6:] in names)]
        failed = 0
        for name in checks:
            start = time.monotonic()
            try:
                getattr(self, name)()
                print(f"{name[6:]}: right ({time.monotonic() - start:.1f} s)", flush=True)
            except Exception:  # noqa: BLE001
                failed += 1
                print(f"{name[6:]}: wrong\n{traceback.format_exc()}", flush=True)
            finally:
                self.origin.gate.set()
        print(f"{len(checks) - failed} passed, {failed} failed")
        return 1 if failed else 0


def main():
    with tempfile.TemporaryDirectory() as folder:
        suite = Suite(sys.argv[1], folder)
        try:
            status = suite.run(sys.argv[2:])
        finally:
            # Also those of checks that failed.
            for server in suite.servers:
                server.kill()
        if status:
            for name in ("open", "signed"):
                sys.stderr.write(open(f"{folder}/{name}.log").read()[-4000:])
        sys.exit(status)


main()
