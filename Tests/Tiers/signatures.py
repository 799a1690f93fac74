#!/usr/bin/env python3
"""Makes random requests and their signatures by botocore, one JSON object a line, for SignatureTests.

    Tests/Tiers/signatures.py COUNT [SEED] > rows.jsonl
    CALOTYPE_SIGNATURES=rows.jsonl swift test --filter Signature

Tests/Fixtures/Tiers/signatures.jsonl has 300 of them, with seed 7.
"""
import datetime
import hashlib
import json
import random
import sys
import urllib.parse
from unittest import mock

import botocore.auth
import botocore.awsrequest
import botocore.credentials

CHARACTERS = "abcXYZ019-._~ /+=*'()!@:,;&$%ü€#?[]{}|<>\"\\^`"


def escaped(text):
    return urllib.parse.quote(text, safe="-._~")


def row(generator, number):
    def text(shortest, longest):
        return "".join(generator.choice(CHARACTERS) for _ in range(generator.randint(shortest, longest)))

    path = "/bucket/" + text(1, 20)
    query = {text(1, 6): text(0, 6) for _ in range(generator.randint(0, 3))}
    fields = {f"x-amz-meta-{c}": (" " * generator.randint(1, 2)).join(["v"] * generator.randint(1, 3))
              for c in generator.sample("abcdef", generator.randint(0, 3))}
    if generator.random() < 0.3:
        fields["range"] = f"bytes={generator.randint(0, 9)}-{generator.randint(10, 99)}"
    method = generator.choice(["GET", "PUT", "HEAD", "DELETE", "POST"])
    payload = "UNSIGNED-PAYLOAD" if generator.random() < 0.2 else hashlib.sha256(str(number).encode()).hexdigest()
    # All seconds from 2001 to 2096.
    seconds = generator.randint(1_000_000_000, 4_000_000_000)
    token = generator.choice([None, "T/+=" + "x" * generator.randint(0, 40)])
    access, secret = "AKID" + str(number), "s3cr3t/+" + str(generator.random())
    region = generator.choice(["us-east-1", "eu-central-1", "auto"])
    host = generator.choice(["h.example", "127.0.0.1:9000"])

    target = "/".join(escaped(part) for part in path.split("/"))
    if query:
        target += "?" + "&".join(f"{escaped(k)}={escaped(v)}" for k, v in query.items())
    request = botocore.awsrequest.AWSRequest(
        method=method, url=f"https://{host}{target}", headers=dict(fields, host=host))
    time = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    request.context["timestamp"] = time
    request.headers["X-Amz-Date"] = time
    request.headers["X-Amz-Content-SHA256"] = payload
    if token:
        request.headers["X-Amz-Security-Token"] = token
    signer = botocore.auth.S3SigV4Auth(botocore.credentials.Credentials(access, secret, token), "s3", region)
    with mock.patch.object(signer, "payload", lambda _: payload):
        canonical = signer.canonical_request(request)
        signature = signer.signature(signer.string_to_sign(request, canonical), request)
    return {"method": method, "host": host, "path": path, "query": list(query.items()), "fields": fields,
            "payload": payload, "seconds": seconds, "time": time, "token": token, "accessKey": access,
            "secretKey": secret, "region": region, "signature": signature}


def main():
    generator = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 7)
    for number in range(int(sys.argv[1])):
        print(json.dumps(row(generator, number), ensure_ascii=False, separators=(",", ":")))


main()
