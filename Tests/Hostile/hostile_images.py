#!/usr/bin/env python3
"""Makes small images that ask for much work or memory, and holds the command to its bounds over them.

usage: hostile_images.py [--count N] [--seed N] [--seconds S] [--megabytes M] [--keep DIR] [--file FILE]... COMMAND

Of each kind N images are made, all different; each goes through every way of the command in a process of its own, which
has to end by itself, with status 0 or 1, within S seconds of processor time and M MiB resident.
"""
import argparse, concurrent.futures, os, random, struct, subprocess, sys, tempfile, time, zlib

sys.dont_write_bytecode = True
import hostile_bitmaps, hostile_boxes, hostile_tiff

PHOTO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Fixtures", "Corpus", "jpeg", "exif", "Kodak_CX7530.jpg")


# GIF (CompuServe, GIF89a)

class Codes:
    """Codes of some bits each, the lowest first."""
    def __init__(self):
        self.bytes, self.buffer, self.count = bytearray(), 0, 0

    def put(self, code, size):
        self.buffer |= code << self.count
        self.count += size
        while self.count >= 8:
            self.bytes.append(self.buffer & 255)
            self.buffer >>= 8
            self.count -= 8

    def end(self):
        return bytes(self.bytes) + (bytes([self.buffer]) if self.count else b"")


def lzw(pixels, bits=2):
    """Codes that never grow: a clear code before each few pixels. `pixels`: values below 1 << bits."""
    size, clear, limit = bits + 1, 1 << bits, (1 << bits) - 2
    codes = Codes()
    for index, pixel in enumerate(pixels):
        if index % limit == 0: codes.put(clear, size)
        codes.put(pixel, size)
    codes.put(clear + 1, size)
    return codes.end()


def flat_lzw(pixel_count):
    """One colour in as few bytes as LZW can: each code is one pixel longer than the one before."""
    bits, codes = 2, Codes()
    clear = 1 << bits
    size, next_code, run, left = bits + 1, clear + 2, 1, pixel_count
    codes.put(clear, size)
    codes.put(0, size)
    left -= 1
    while left > 0:
        run = min(run + 1, left + 1)
        if next_code < 4096 and left >= run:
            codes.put(next_code, size)
            left -= run
            next_code += 1
            if next_code == (1 << size) and size < 12: size += 1
        else:
            codes.put(clear, size)
            size, next_code, run = bits + 1, clear + 2, 1
            codes.put(0, size)
            left -= 1
    codes.put(clear + 1, size)
    return codes.end()


def blocks(data, size=255):
    out = bytearray()
    for start in range(0, len(data), size):
        part = data[start:start + size]
        out.append(len(part))
        out += part
    return bytes(out) + b"\0"


def gif(width, height, frames, extensions=b"", block=255):
    """frames: (left, top, width, height, disposal, data)"""
    out = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x91, 0, 0) + bytes(range(12)) + extensions
    out += b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
    for left, top, w, h, disposal, data in frames:
        out += b"\x21\xf9\x04" + struct.pack("<BHB", disposal << 2, 2, 0) + b"\0"
        out += b"\x2c" + struct.pack("<HHHHB", left, top, w, h, 0) + b"\2" + blocks(data, block)
    return out + b"\x3b"


# PNG (third edition)

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG = b"\x89PNG\r\n\x1a\n"


def header(width, height, depth=8, color=2, interlace=0):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace))


def zeros(count, cap=1 << 26):
    """A stream of zeros; longer ones than the cap end early."""
    deflate = zlib.compressobj(9)
    count = min(count, cap)
    out = bytearray()
    while count > 0:
        out += deflate.compress(bytes(min(count, 1 << 20)))
        count -= 1 << 20
    return bytes(out + deflate.flush())


def rows(width, height, depth=8, color=2):
    return (1 + (width * depth * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color] + 7) // 8) * height


def apng(width, height, frames, splits=1, still=None):
    """frames: (left, top, width, height, disposal, blend, data)"""
    out = PNG + header(width, height, color=6) + chunk(b"acTL", struct.pack(">II", len(frames), 0))
    number = 0
    out += chunk(b"IDAT", still if still is not None else zeros(rows(width, height, color=6)))
    for left, top, w, h, disposal, blend, data in frames:
        out += chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, w, h, left, top, 2, 100, disposal, blend))
        number += 1
        step = max(1, (len(data) + splits - 1) // splits)
        for start in range(0, len(data), step):
            out += chunk(b"fdAT", struct.pack(">I", number) + data[start:start + step])
            number += 1
    return out + chunk(b"IEND", b"")


# WebP (RFC 9649)

def riff(chunks):
    body = b"WEBP" + b"".join(k + struct.pack("<I", len(d)) + d + b"\0" * (len(d) & 1) for k, d in chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def lossless(width, height):
    """All pixels of one colour, none of them stored: five codes of one symbol."""
    bits, count = 0x2F, 8
    for value, size in [(width - 1, 14), (height - 1, 14), (1, 1), (0, 3), (0, 1), (0, 1), (0, 1)]:
        bits |= value << count
        count += size
    for _ in range(5):  # simple, one symbol, of one bit, 0
        bits |= 1 << count
        count += 4
    return bits.to_bytes((count + 7) // 8 + 1, "little")


def webp(width, height, frames):
    """frames: (left, top, width, height, flags)"""
    def u24(value): return struct.pack("<I", value)[:3]
    chunks = [(b"VP8X", bytes([0x12, 0, 0, 0]) + u24(width - 1) + u24(height - 1)), (b"ANIM", bytes(6))]
    for left, top, w, h, flags in frames:
        data = lossless(w, h)
        inner = b"VP8L" + struct.pack("<I", len(data)) + data + b"\0" * (len(data) & 1)
        head = u24(left // 2) + u24(top // 2) + u24(w - 1) + u24(h - 1) + u24(20) + bytes([flags])
        chunks.append((b"ANMF", head + inner))
    return riff(chunks)


# JPEG (ITU-T T.81)

def segment(marker, data=b""):
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


def jpeg(width, height, components, sof, scans, before=b"", sampling=0x11):
    """scans: (components, start, end, high, low, data)"""
    out = b"\xff\xd8" + before + segment(0xDB, b"\0" + bytes([1]) * 64)
    ids = range(1, components + 1)
    out += segment(sof, struct.pack(">BHHB", 8, height, width, components)
                   + b"".join(bytes([n, sampling if n == 1 else 0x11, 0]) for n in ids))
    # One symbol each: no difference, end of block.
    for table in (0x00, 0x10): out += segment(0xC4, bytes([table, 1]) + bytes(15) + b"\0")
    for which, start, end, high, low, data in scans:
        out += segment(0xDA, bytes([len(which)]) + b"".join(bytes([n, 0]) for n in which)
                       + bytes([start, end, high << 4 | low]))
        out += data
    return out + b"\xff\xd9"


# Pictures of one colour

def flat_png(width, height):
    return PNG + header(width, height) + chunk(b"IDAT", zeros(rows(width, height))) + chunk(b"IEND", b"")


def flat_gif(width, height):
    return gif(width, height, [(0, 0, width, height, 0, flat_lzw(width * height))] * 8)


# Kinds

def sides(random, most=65_535):
    """A canvas between small and more than the limits allow."""
    pixels = int(10 ** random.uniform(4, 8.6))
    width = max(1, min(most, int(10 ** random.uniform(0, 4.8))))
    return width, max(1, min(most, pixels // width))


def small(random): return random.choice([1, 1, 2, 8, 64])


def gif_canvas(random):
    width, height = sides(random)
    count = int(10 ** random.uniform(1, 3.9))
    frames = []
    for _ in range(count):
        w, h = min(width, small(random)), min(height, small(random))
        frames.append((random.randrange(width - w + 1), random.randrange(height - h + 1), w, h,
                       random.randrange(4), lzw([random.randrange(4) for _ in range(w * h)])))
    return gif(width, height, frames)


def gif_layers(random):
    width, height = sides(random, 4096)
    data = flat_lzw(min(width * height, 1 << 22))
    return gif(width, height, [(0, 0, width, height, random.randrange(4), data)] * random.randrange(2, 40))


def gif_still(random):
    width, height = sides(random)
    return gif(width, height, [(0, 0, width, height, 0, flat_lzw(min(width * height, 1 << 24)))])


def gif_blocks(random):
    comments = (b"\x21\xfe" + blocks(bytes(random.randrange(1, 50)), 1)) * random.randrange(1, 50_000)
    return gif(64, 64, [(0, 0, 64, 64, 0, lzw([1] * 4096))] * random.randrange(1, 200), comments, 1)


def png_wide(random):
    width = random.choice([int(10 ** random.uniform(3, 9)), 65_535, 65_536, 100_000_000])
    depth, color = random.choice([(8, 2), (16, 6), (1, 0), (8, 6), (8, 3)])
    height = random.choice([1, 1, 2, 100])
    if random.random() < 0.5: width, height = height, width
    palette = chunk(b"PLTE", bytes(6)) if color == 3 else b""
    return (PNG + header(width, height, depth, color, random.choice([0, 0, 1])) + palette
            + chunk(b"IDAT", zeros(rows(width, height, depth, color))) + chunk(b"IEND", b""))


def png_still(random):
    width, height = sides(random)
    depth, color = random.choice([(8, 2), (16, 6), (1, 0), (8, 6)])
    return (PNG + header(width, height, depth, color, random.choice([0, 1]))
            + chunk(b"IDAT", zeros(rows(width, height, depth, color))) + chunk(b"IEND", b""))


def png_chunks(random):
    count = random.randrange(1, 60_000)
    which = random.choice([b"tEXt", b"IDAT", b"zTXt", b"prVt", b"eXIf"])
    body = {b"tEXt": b"a\0b", b"IDAT": b"", b"zTXt": b"a\0\0" + zeros(1 << 20), b"prVt": b"", b"eXIf": b"MM\0*\0\0\0\x08"}[which]
    data = zeros(rows(64, 64))
    parts = b"".join(chunk(b"IDAT", data[index:index + 1]) for index in range(len(data)))
    many = chunk(which, body) * (count if len(body) < 100 else min(count, 2_000))
    return PNG + header(64, 64) + (many + parts if which != b"IDAT" else parts[:13] + many + parts[13:]) + chunk(b"IEND", b"")


def apng_canvas(random):
    width, height = sides(random)
    count = int(10 ** random.uniform(1, 3.9))
    frames = []
    for _ in range(count):
        w, h = min(width, small(random)), min(height, small(random))
        frames.append((random.randrange(width - w + 1), random.randrange(height - h + 1), w, h,
                       random.randrange(3), random.randrange(2), zeros(rows(w, h, color=6))))
    return apng(width, height, frames, still=None if random.random() < 0.7 else b"")


def apng_layers(random):
    width, height = sides(random, 4096)
    data = zeros(rows(width, height, color=6), 1 << 22)
    frame = (0, 0, width, height, random.randrange(3), random.randrange(2), data)
    return apng(width, height, [frame] * random.randrange(2, 40), splits=random.choice([1, 1, 100]))


def webp_canvas(random):
    width, height = sides(random, 1 << 24)
    frames = []
    for _ in range(int(10 ** random.uniform(1, 3.9))):
        w, h = min(width, small(random)), min(height, small(random))
        frames.append((random.randrange(width - w + 1) & ~1, random.randrange(height - h + 1) & ~1, w, h,
                       random.randrange(4)))
    return webp(width, height, frames)


def webp_layers(random):
    width, height = sides(random, 16_384)
    return webp(width, height, [(0, 0, width, height, random.randrange(4))] * random.randrange(1, 100))


def webp_still(random):
    width, height = sides(random, 16_384)
    return riff([(b"VP8L", lossless(width, height))])


def webp_chunks(random):
    count = random.randrange(1, 100_000)
    vp8x = (b"VP8X", bytes(4) + struct.pack("<I", 63)[:3] + struct.pack("<I", 63)[:3])
    return riff([vp8x] + [(random.choice([b"EXIF", b"XMP ", b"abcd", b"ICCP"]), b"")] * count + [(b"VP8L", lossless(64, 64))])


def jpeg_scans(random):
    width, height = sides(random)
    components = random.choice([1, 3, 4])
    every = list(range(1, components + 1))
    scans = [(every, 0, 0, 0, 1, b"")]
    for index in range(int(10 ** random.uniform(0, 2.5))):
        scans.append(([random.choice(every)], 1, 63, 0, random.choice([0, 1]), b"\0" * random.randrange(8)))
    return jpeg(width, height, components, 0xC2, scans, sampling=random.choice([0x11, 0x22, 0x44]))


def jpeg_still(random):
    width, height = sides(random)
    components = random.choice([1, 3, 4])
    data = b"\0" * random.randrange(1, 100_000)
    return jpeg(width, height, components, random.choice([0xC0, 0xC1]),
                [(list(range(1, components + 1)), 0, 63, 0, 0, data)], sampling=random.choice([0x11, 0x22, 0x41]))


def jpeg_segments(random):
    which, data = random.choice([(0xE1, b"Exif\0\0MM\0*\0\0\0\x08"), (0xE2, b"ICC_PROFILE\0\1\xff" + bytes(100)),
                                 (0xFE, b""), (0xED, b"Photoshop 3.0\0"), (0xDB, b"\0" + bytes([1]) * 64),
                                 (0xC4, bytes([0, 1]) + bytes(15) + b"\0"), (0xDD, b"\0\1")])
    return jpeg(64, 64, 1, 0xC0, [([1], 0, 63, 0, 0, b"\0" * 16)],
                before=segment(which, data) * random.randrange(1, 50_000))


KINDS = {
    "gif-canvas": gif_canvas, "gif-layers": gif_layers, "gif-still": gif_still, "gif-blocks": gif_blocks,
    "png-wide": png_wide, "png-still": png_still, "png-chunks": png_chunks,
    "apng-canvas": apng_canvas, "apng-layers": apng_layers,
    "webp-canvas": webp_canvas, "webp-layers": webp_layers, "webp-still": webp_still, "webp-chunks": webp_chunks,
    "jpeg-scans": jpeg_scans, "jpeg-still": jpeg_still, "jpeg-segments": jpeg_segments,
}

KINDS.update(hostile_bitmaps.kinds(flat_png))
KINDS.update(hostile_tiff.kinds(jpeg))

# Ways through the command; the pictures that are written go nowhere else.
WAYS = {
    "info": ["info", "--json", "FILE"],
    "hash": ["info", "--json", "--hash", "FILE"],
    "pieces": ["info", "--json", "--hash", "--chunk", "997", "FILE"],
    "thumbnail": ["get", "FILE", "--no-cache", "--thumbnail", "64x64", "--first-frame", "--format", "png", "-o", "OUT.png", "--json"],
    "animated thumbnail": ["get", "FILE", "--no-cache", "--thumbnail", "64x64", "--format", "gif", "-o", "OUT.gif", "--json"],
}
# Those that only some kinds have.
MORE_WAYS = {
    "page": ("tiff", ["get", "FILE", "--no-cache", "--page", "1", "--thumbnail", "64x64", "--format", "png", "-o", "OUT.png", "--json"]),
    "jpeg": ("jxl", ["convert", "FILE", "OUT.jpg", "--lossless", "--json"]),
}


class Breach(Exception):
    pass


def run(command, way, file, out, arguments):
    words = [command] + [w.replace("FILE", file).replace("OUT", out) for w in WAYS.get(way) or MORE_WAYS[way][1]]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 20 * arguments.seconds
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid: break
        if time.monotonic() > end:
            process.kill()
            pid, status, usage = os.wait4(process.pid, 0)
            break
        time.sleep(0.002)
    process.returncode = 0
    code = os.waitstatus_to_exitcode(status)
    return code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("command")
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--megabytes", type=float, default=256)
    parser.add_argument("--kind", action="append")
    parser.add_argument("--keep")
    parser.add_argument("--file", action="append", default=[])
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    KINDS.update(hostile_boxes.kinds(hostile_boxes.Payloads(arguments.command, flat_png, flat_gif, PHOTO)))
    breaches, worst = [], {}
    with tempfile.TemporaryDirectory() as folder:
        def check(name, file, label):
            for way in [*WAYS, *(way for way, (format, _) in MORE_WAYS.items() if label.startswith(format))]:
                code, seconds, megabytes = run(arguments.command, way, file, os.path.join(folder, "out-" + os.path.basename(file)), arguments)
                key = (label, way)
                old = worst.get(key, (0, 0))
                worst[key] = (max(old[0], seconds), max(old[1], megabytes))
                if code not in (0, 1) or seconds > arguments.seconds or megabytes > arguments.megabytes:
                    breaches.append(f"{name}, {way}: status {code}, {seconds:.2f} s, {megabytes:.0f} MiB")
        def job(kind, number):
            name = f"{kind}-{arguments.seed}-{number}"
            data = KINDS[kind](random.Random(name))
            file = os.path.join(folder, name)
            with open(file, "wb") as f: f.write(data)
            before = len(breaches)
            check(name, file, kind)
            if len(breaches) > before and arguments.keep:
                os.makedirs(arguments.keep, exist_ok=True)
                with open(os.path.join(arguments.keep, name), "wb") as f: f.write(data)
            os.unlink(file)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            jobs = [pool.submit(check, os.path.basename(f), f, os.path.basename(f)) for f in arguments.file]
            jobs += [pool.submit(job, kind, number) for number in range(arguments.count) for kind in (arguments.kind or KINDS)]
            for done in jobs: done.result()
    if arguments.verbose:
        for (kind, way), (seconds, megabytes) in sorted(worst.items()):
            print(f"{kind:24} {way:20} {seconds:6.2f} s {megabytes:6.0f} MiB")
    for breach in breaches: print(breach)
    print(f"{len({kind for kind, _ in worst})} kinds, {arguments.count} of each, {len(WAYS)} ways and more: {len(breaches)} breaches; "
          f"at most {max(s for s, _ in worst.values()):.2f} s and {max(m for _, m in worst.values()):.0f} MiB")
    return 1 if breaches else 0


sys.exit(main())
