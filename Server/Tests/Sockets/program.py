"""The image server as a process."""
import http.client
import re
import signal
import socket
import subprocess


class Reply:
    def __init__(self, response):
        self.status, self.fields, self.body = response.status, response.headers, response.read()

    def __getitem__(self, name):
        return self.fields.get(name)


class Program:
    """A running server; its log is in a file."""

    def __init__(self, path, log, *options, environment=None):
        self.log = log
        self.process = subprocess.Popen(
            [path, "--bind", "127.0.0.1:0", "--stop-delay", "0", "--timeout", "120",
             "--max-queue-time", "0", *options], stdout=subprocess.PIPE,
            stderr=open(log, "w"), env=environment or {}, text=True)
        line = self.process.stdout.readline()
        match = re.search(r":(\d+)\s*$", line)
        assert match, f"the server does not start: {line}{open(log).read()}"
        self.port = int(match[1])

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def get(self, path, method="GET", **fields):
        client = self.connect()
        try:
            client.putrequest(method, path, skip_accept_encoding=True, skip_host="Host" in fields)
            for name, value in fields.items():
                client.putheader(name.replace("_", "-"), value)
            client.endheaders()
            return Reply(client.getresponse())
        finally:
            client.close()

    def begin(self, path):
        """Sends a request and returns the socket."""
        client = socket.create_connection(("127.0.0.1", self.port), timeout=120)
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: server\r\n\r\n".encode())
        return client

    def metric(self, name, **fields):
        text = self.get("/metrics", **fields).body.decode()
        values = re.findall(rf"^{re.escape(name)}(?:\{{[^}}]*\}})? (\S+)$", text, re.M)
        return sum(float(value) for value in values)

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(30)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
