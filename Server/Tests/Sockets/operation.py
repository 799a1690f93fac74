"""Checks of the operation of the server: logs, traces, signals."""
import base64
import hashlib
import hmac
import json
import os
import re
import signal
import subprocess
import threading
import time

from program import Program

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def same(what, found, expected):
    assert found == expected, f"{what} is {found!r}, not {expected!r}"


class Operation:
    """A part of the suite: `start`, `local`, `remote` and `origin` are those of the whole."""

    def lines(self, server, text):
        """The lines of a log that have a text, as soon as there is one."""
        for _ in range(500):
            with open(server.log) as file:
                lines = [line for line in file if text in line]
            if lines:
                return lines
            time.sleep(0.01)
        raise AssertionError(f"no line has {text}: {open(server.log).read()[-2000:]}")

    def check_json_logs(self):
        server = self.start("json", "--allow-unsigned", "--allow-loopback-source-addresses", "--log-level", "debug",
                            environment={"CALOTYPE_SECRET": "open sesame"})
        token = {"Authorization": "Bearer open sesame"}
        path = self.remote("dandelion.jpg?token=hidden", "rs:fit:33:33").replace("?", "%3F")
        server.get(path, X_Request_ID="first-1", traceparent=PARENT, **token)
        line = json.loads(self.lines(server, "first-1")[0])
        host = self.origin.url.removeprefix("http://")
        for name, value in [("level", "info"), ("msg", "request"), ("method", "GET"), ("status", 200),
                            ("source_host", host), ("trace_id", PARENT.split("-")[1])]:
            same(name, line[name], value)
        assert re.fullmatch(r"[0-9a-f]{12}", line["identity"]) and line["duration_ms"] > 0, line
        assert "error_code" not in line
        server.get(self.remote("none.jpg"), X_Request_ID="second-2", traceparent="nonsense", **token)
        line = json.loads(self.lines(server, "second-2")[0])
        same("failure", (line["level"], line["status"], line["error_code"]), ("error", 404, "sourceStatus"))
        assert "404" in line["error_detail"], line
        assert "trace_id" not in line
        server.get(self.remote("dandelion.jpg"), X_Request_ID="third-3")
        same("refusal", json.loads(self.lines(server, "third-3")[0])["error_code"], "unauthorized")
        server.get("/health", X_Request_ID="fourth-4")
        same("probe", json.loads(self.lines(server, "fourth-4")[0])["level"], "debug")
        # One that is not well formed is replaced, and lines are JSON for any bytes.
        for value in ('a"b', "a" * 200, "ä\\".encode().decode("latin-1")):
            reply = server.get("/unsafe/%C3%A4%00\"/plain/x", X_Request_ID=value)
            assert re.fullmatch(r"[0-9A-Za-z_-]{21}", reply["X-Request-ID"]), reply["X-Request-ID"]
        same("end", server.end(), 0)
        with open(server.log) as file:
            text = file.read()
        for line in text.splitlines():
            json.loads(line)
        for secret in ("hidden", "unsafe", "sesame", "dandelion"):
            assert secret not in text, secret

    def check_log_formats(self):
        for form, pattern in [
            ("pretty", r"^\S+Z INFO   request duration_ms=\S+ identity=[0-9a-f]{12} method=GET request_id=abc "
                       r"source_host=local status=200$"),
            ("structured", r'^time=\S+Z level=info msg="request" logger=calotype-server duration_ms='),
            ("gcp", r'^\{"time":"[^"]*","severity":"INFO","message":"request",.*"httpRequest":\{"latency":"[0-9.e-]+s",'
                    r'"requestMethod":"GET","status":200\}\}$'),
        ]:
            server = self.start(form, "--allow-unsigned", "--local-filesystem-root",
                                self.photos, "--log-format", form)
            server.get(self.local("dandelion.jpg"), X_Request_ID="abc")
            line = self.lines(server, "GET")[0].rstrip("\n")
            assert re.search(pattern, line), line
            server.end()

    def check_a_log_that_nobody_reads(self):
        """Requests are answered, lines are dropped, and their number is a metric."""
        process = Program.__new__(Program)
        process.log = os.devnull
        process.process = subprocess.Popen(
            [self.path, "--bind", "127.0.0.1:0", "--stop-delay", "0", "--allow-unsigned", "--log-level", "debug"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={}, text=True)
        process.port = int(re.search(r":(\d+)\s*$", process.process.stdout.readline())[1])
        client, count = process.connect(), 0
        while process.metric("log_lines_dropped_total") == 0:
            for _ in range(100):
                client.request("GET", "/health", headers={"X-Request-ID": "a" * 128})
                same("health", client.getresponse().read(), b"imgproxy is running")
            count += 1
            assert count < 400, "no line is dropped"
        client.close()
        same("end", process.end(), 0)
        process.process.stderr.close()

    def check_traces(self):
        """Origins see the trace of a client only if a setting says so."""
        for switch, expected in [([], None), (["--open-telemetry-propagate-external"], PARENT)]:
            server = self.start("traces", "--allow-unsigned", "--allow-loopback-source-addresses", *switch)
            path = "fields/" + str(len(switch))
            server.get(self.remote(path), traceparent=PARENT, tracestate="congo=t61")
            fields = self.origin.fields["/" + path]
            same("traceparent", fields.get("traceparent"), expected)
            same("tracestate", fields.get("tracestate"), expected and "congo=t61")
            server.end()

    def command(self, *arguments, **environment):
        run = subprocess.run([self.path, *arguments], env=environment, capture_output=True, text=True, timeout=60)
        return run.returncode, run.stdout, run.stderr

    def check_url_command(self):
        keys = {"CALOTYPE_KEY": "6b6579", "CALOTYPE_SALT": "73616c74", "CALOTYPE_PRESETS": "small=rs:fit:50:50",
                "CALOTYPE_AUTO_WEBP": "true", "CALOTYPE_LOCAL_FILESYSTEM_ROOT": self.photos}
        path = "/pr:small/q:70/plain/local:///mountains.jpg"
        status, output, _ = self.command("url", "sign", path, **keys)
        digest = hmac.new(b"key", b"salt" + path.encode(), hashlib.sha256).digest()
        url = "/" + base64.urlsafe_b64encode(digest).decode().rstrip("=") + path
        same("sign", (status, output), (0, url + "\n"))
        # A server with the same settings accepts it, and makes what was explained.
        status, output, _ = self.command(
            "url", "explain", "--json", "--accept", "image/webp", "--file", self.photos + "/mountains.jpg", url, **keys)
        report = json.loads(output)
        same("explain", (status, report["url"]["signature"], report["url"]["source"]), (0, "valid", "local:///mountains.jpg"))
        same("options", [option["name"] for option in report["url"]["options"]], ["preset", "resize", "quality"])
        plan = report["plan"]
        same("format", (plan["encode"]["format"], plan["encode"]["quality"]), ("webp", 70))
        server = self.start("explained", "--enable-debug-headers", environment=keys)
        reply = server.get(url, Accept="image/webp")
        same("made", (reply.status, reply["Content-Type"], reply["X-Result-Width"], reply["X-Result-Height"]),
             (200, "image/webp", str(plan["result"]["width"]), str(plan["result"]["height"])))
        server.end()
        status, output, _ = self.command("url", "parse", "https://img.example" + url[:5] + "A" + url[6:], **keys)
        same("another signature", (status, "signature           invalid" in output), (1, True))
        same("refused", self.command("url", "sign", "/pr:none/plain/x", **keys)[0], 1)
        same("a source that is not allowed", self.command(
            "url", "explain", "--info", "40x30:jpeg", url, **keys, CALOTYPE_ALLOWED_SOURCES="https://a/")[0], 1)
        same("too large", json.loads(self.command(
            "url", "explain", "--json", "--info", "40000x30000:jpeg", url, **keys)[1])["problem"]["code"], "sourceTooLarge")
        for arguments in (["url"], ["url", "sign"], ["url", "sign", "--key", "6b"], ["url", "explain", url],
                          ["url", "explain", "--info", "4x:png", url], ["url", "parse", "--config", "/none", url]):
            status, output, errors = self.command(*arguments, **keys)
            same(arguments, (status, output, bool(errors)), (2, "", True))
        status, _, errors = self.command("url", "sign", path)
        same("no keys", (status, "CALOTYPE_KEY" in errors), (2, True))
        # Neither key nor salt is shown by anything.
        for arguments in (["url", "parse", url], ["url", "sign", "/x"], ["url", "explain", "--info", "1x1:png", url]):
            _, output, errors = self.command(*arguments, **keys)
            assert "6b6579" not in output + errors and "73616c74" not in output + errors

    def check_health_command(self):
        server = self.start("asked", "--allow-unsigned", "--path-prefix", "/img", "--stop-delay", "2")
        address = {"CALOTYPE_BIND": f"127.0.0.1:{server.port}", "CALOTYPE_PATH_PREFIX": "/img"}
        same("health", self.command("health", **address), (0, "", ""))
        same("ready", self.command("health", "--ready", **address), (0, "", ""))
        server.process.send_signal(signal.SIGTERM)
        for _ in range(100):
            if server.get("/img/ready").status == 503:
                break
            time.sleep(0.01)
        same("health at the end", self.command("health", **address)[0], 0)
        status, _, errors = self.command("health", "--ready", **address)
        same("not ready", (status, "503" in errors), (1, True))
        same("end", server.process.wait(20), 0)
        same("nobody", self.command("health", **address)[0], 1)
        same("wrong settings", self.command("health", CALOTYPE_BIND="nonsense:x")[0], 2)
        socket = self.folder + "/socket"
        server = subprocess.Popen([self.path, "--allow-unsigned", "--network", "unix", "--bind", socket],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={}, text=True)
        server.stdout.readline()
        same("a Unix socket", self.command("health", "--network", "unix", "--bind", socket), (0, "", ""))
        server.kill()
        server.wait()
        server.stdout.close()

    def check_a_second_signal(self):
        """It ends the server at once, with work in flight."""
        for number, status in [(signal.SIGTERM, 143), (signal.SIGINT, 130)]:
            server = self.start("forced", "--allow-unsigned", "--allow-loopback-source-addresses", "--download-timeout",
                                "60")
            self.origin.ended.clear()
            client = server.begin(self.remote(f"hanging%3F{status}"))
            self.origin.wait_for(f"/hanging?{status}")
            server.process.send_signal(signal.SIGTERM)
            # The first one is taken when the server is not ready any more, or has closed its port.
            for _ in range(500):
                try:
                    if server.get("/ready").status == 503:
                        break
                except OSError:
                    break
                time.sleep(0.01)
            time.sleep(0.3)
            same("running", server.process.poll(), None)
            start = time.monotonic()
            server.process.send_signal(number)
            same("status of the process", server.process.wait(10), status)
            assert time.monotonic() - start < 2
            client.close()
            assert self.origin.ended.wait(5)

    def check_requests_in_progress_end(self):
        server = self.start("gauge", "--allow-unsigned", "--allow-loopback-source-addresses", "--local-filesystem-root",
                            self.photos)
        def leave(index):
            for size in range(20):
                server.begin(self.local("mountains.jpg", f"rs:fit:{100 + index}:{100 + size}")).close()
        threads = [threading.Thread(target=leave, args=(index,)) for index in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for _ in range(1000):
            # That of the request for metrics itself.
            if server.metric("requests_in_progress") == 1:
                break
            time.sleep(0.01)
        same("requests in progress", server.metric("requests_in_progress"), 1)
        server.end()
