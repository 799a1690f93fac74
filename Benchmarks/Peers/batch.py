"""Loads images and writes thumbnails of them, as a script in Python would: pycurl, pyvips and a pool of threads.

    batch.py THREADS FILE-WITH-URLS FOLDER
"""

import io
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

# One image a thread: more threads within an image gain nothing when there are many images.
os.environ["VIPS_CONCURRENCY"] = "1"

import pycurl
import pyvips

pyvips.cache_set_max(0)
threads, urls, folder = int(sys.argv[1]), sys.argv[2], sys.argv[3]
local = threading.local()


def load(url):
    # A handle a thread, so that connections are used again.
    if not hasattr(local, "curl"):
        local.curl = pycurl.Curl()
        local.curl.setopt(pycurl.FAILONERROR, True)
    body = io.BytesIO()
    local.curl.setopt(pycurl.URL, url)
    local.curl.setopt(pycurl.WRITEDATA, body)
    local.curl.perform()
    return body.getvalue()


def make(url):
    image = pyvips.Image.thumbnail_buffer(load(url), 320, height=320, size="down")
    image.write_to_file(os.path.join(folder, os.path.basename(url)) + "[Q=80,strip]")


with open(urls) as file, ThreadPoolExecutor(threads) as pool:
    list(pool.map(make, file.read().split()))
