#!/usr/bin/env python3
"""A minimal image server on libvips: aiohttp, a pool of threads, and shrinking on load as imgproxy does it.

    vips_server.py PORT FOLDER

GET /WIDTHxHEIGHT/NAME makes a thumbnail that fits, in the format of the source, with quality 80."""
import asyncio
import os
import sys
from concurrent.futures import ThreadPoolExecutor

os.environ.setdefault("VIPS_CONCURRENCY", "1")
import pyvips  # noqa: E402
from aiohttp import web  # noqa: E402

port, root = int(sys.argv[1]), sys.argv[2]
pool = ThreadPoolExecutor(os.cpu_count())
pyvips.cache_set_max(0)
TYPES = {"jpg": ("image/jpeg", "[Q=80,strip]"), "png": ("image/png", "[strip]"), "webp": ("image/webp", "[Q=80,strip]")}


def thumbnail(path, width, height):
    kind = path.rsplit(".", 1)[1]
    image = pyvips.Image.new_from_file(path, access="sequential")
    scale = min(width / image.width, height / image.height)
    if kind == "jpg":
        shrink = next((each for each in (8, 4, 2) if scale * each <= 1), 1)
        if shrink > 1:
            image = pyvips.Image.new_from_file(path, access="sequential", shrink=shrink)
    elif kind == "webp":
        image = pyvips.Image.new_from_file(path, access="sequential", scale=min(1, scale * 2))
    image = image.thumbnail_image(width, height=height, size="down")
    return image.write_to_buffer(f".{kind}{TYPES[kind][1]}"), TYPES[kind][0]


async def get(request):
    width, height = map(int, request.match_info["size"].split("x"))
    path = os.path.join(root, os.path.basename(request.match_info["name"]))
    body, kind = await asyncio.get_running_loop().run_in_executor(pool, thumbnail, path, width, height)
    return web.Response(body=body, content_type=kind)


application = web.Application()
application.router.add_get(r"/{size:\d+x\d+}/{name}", get)
web.run_app(application, host="127.0.0.1", port=port, print=None, access_log=None)
