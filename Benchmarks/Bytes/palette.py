"""Palettes: bytes at the score of pngquant --quality 80-95, by the encoder of palettes in this process, and libdeflate as in PNG.

COLORS of our palettes are tried, and the bytes interpolated at pngquant's score. PALETTE_PICTURES takes every n-th picture.
"""
import ctypes as C, io, math, os, subprocess, time
import numpy as np
from PIL import Image
from pictures import pictures
from measures import Reference, pixels as library, timed

COLORS = (6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 176, 256)
ROUNDS = 6

deflate = C.CDLL("libdeflate.so.0")
deflate.libdeflate_alloc_compressor.restype, deflate.libdeflate_alloc_compressor.argtypes = C.c_void_p, [C.c_int]
deflate.libdeflate_zlib_compress.restype = C.c_size_t
deflate.libdeflate_zlib_compress.argtypes = [C.c_void_p, C.c_char_p, C.c_size_t, C.c_char_p, C.c_size_t]
compressors = {}
for name, result, arguments in [
    ("cpal_histogram_make", C.c_void_p, []), ("cpal_histogram_free", None, [C.c_void_p]),
    ("cpal_histogram_add", None, [C.c_void_p, C.c_void_p, C.c_void_p, C.c_size_t, C.c_int]),
    ("cpal_histogram_exact", C.c_int, [C.c_void_p, C.c_int, C.c_void_p]),
    ("cpal_colors", C.c_int, [C.c_void_p, C.c_int, C.c_int, C.c_void_p]),
    ("cpal_search_make", C.c_void_p, [C.c_void_p, C.c_int]), ("cpal_search_free", None, [C.c_void_p]),
    ("cpal_mapper_make", C.c_void_p, [C.c_void_p, C.c_size_t, C.c_int, C.c_int]), ("cpal_mapper_free", None, [C.c_void_p]),
    ("cpal_map_row", None, [C.c_void_p] * 5)]:
    each = getattr(library, name)
    each.restype, each.argtypes = result, arguments


def compressed(data, level):
    """Returns the number of bytes of a zlib stream."""
    if level not in compressors: compressors[level] = deflate.libdeflate_alloc_compressor(level)
    out = C.create_string_buffer(len(data) + 65536)
    return deflate.libdeflate_zlib_compress(compressors[level], data, len(data), out, len(out))


def quantised(rgba, colors, dithers=1, rounds=ROUNDS):
    """Returns the palette and the indices of a picture, as `Palette` makes them."""
    height, width = rgba.shape[:2]
    base, stride = rgba.ctypes.data, rgba.strides[0]
    histogram = library.cpal_histogram_make()
    for y in range(height): library.cpal_histogram_add(histogram, base + y * stride, base + (y - 1) * stride if y else None, width, 0)
    table = np.zeros((256, 4), np.uint8)
    count = library.cpal_histogram_exact(histogram, colors, table.ctypes.data)
    exact = count >= 0
    if not exact: count = library.cpal_colors(histogram, colors, rounds, table.ctypes.data)
    library.cpal_histogram_free(histogram)
    search = library.cpal_search_make(table.ctypes.data, count)
    mapper = library.cpal_mapper_make(search, width, 1 if dithers and not exact else 0, 0)
    indices = np.empty((height, width), np.uint8)
    for y in range(height):
        library.cpal_map_row(mapper, base + y * stride, base + (y - 1) * stride if y else None,
                             base + (y + 1) * stride if y + 1 < height else None, indices.ctypes.data + y * width)
    library.cpal_mapper_free(mapper)
    library.cpal_search_free(search)
    return table[:count], indices


def packed(indices, depth):
    """Returns unfiltered rows with so many bits a pixel."""
    height, width = indices.shape
    if depth < 8:
        shifts = 8 // depth
        padded = np.zeros((height, -(-width // shifts) * shifts), np.uint8)
        padded[:, :width] = indices
        indices = sum(padded[:, i::shifts] << np.uint8(8 - depth * (i + 1)) for i in range(shifts)).astype(np.uint8)
    return np.hstack([np.zeros((height, 1), np.uint8), indices]).tobytes()


def file_bytes(table, indices, level=7):
    """Returns the bytes of a PNG."""
    count = len(table)
    depth = 1 if count <= 2 else 2 if count <= 4 else 4 if count <= 16 else 8
    return 8 + 25 + 12 + 12 + 12 + 3 * count + compressed(packed(indices, depth), level)


def at(points, score):
    """Interpolates the logarithm of the bytes; None outside of the scores."""
    points = sorted(points)
    for (a, x), (b, y) in zip(points, points[1:]):
        if a <= score <= b: return math.exp(math.log(x) + (math.log(y) - math.log(x)) * (score - a) / max(b - a, 1e-9))
    return None


def pngquant(picture):
    """Returns the file of pngquant and its processor time in milliseconds; None if it refuses."""
    source = io.BytesIO()
    picture.save(source, "PNG", compress_level=1)
    before = os.times()
    made = subprocess.run(["pngquant", "--quality", "80-95", "-"], input=source.getvalue(), stdout=subprocess.PIPE)
    after = os.times()
    return (made.stdout, 1000 * (after.children_user - before.children_user)) if made.returncode == 0 else None


def rows(step, known={}):
    """Yields kind, name, array, reference, pngquant's bytes, colours, score and time."""
    for number, (kind, name, picture) in enumerate(pictures("graphic", "photo")):
        if number % step: continue
        array = np.ascontiguousarray(np.asarray(picture))
        reference = Reference(array)
        made = pngquant(picture)
        if not made: continue
        other = Image.open(io.BytesIO(made[0]))
        yield kind, name, array, reference, len(made[0]), len(other.getpalette()) // 3, reference.score(np.asarray(other.convert("RGB"))), made[1]


def main(prints):
    found = {"graphic": [], "photo": []}
    for kind, name, array, reference, bytes_, count, score, ms in rows(int(os.environ.get("PALETTE_PICTURES", 1))):
        rgba = np.ascontiguousarray(np.dstack([array, np.full(array.shape[:2], 255, np.uint8)]))
        points, spent = [], 0
        for colors in COLORS:
            (table, indices), spent = timed(quantised, rgba, colors)
            points.append((reference.score(table[indices][..., :3]), file_bytes(table, indices)))
            if points[-1][0] > score + 3 and len(points) > 1: break
        ratio = at(points, score)
        ratio = ratio and ratio / bytes_
        found[kind].append((ratio, points[-1], bytes_, score, spent, ms))
        if prints:
            print(f"{kind} {name}: pngquant {bytes_} bytes, {count} colours, {score:.2f}, {ms:.0f} ms; ours " + (f"{ratio:.3f}" if ratio else "–")
                  + f", last {points[-1][0]:.2f} {points[-1][1]} {spent:.0f} ms", flush=True)
    print("\n| | pictures | bytes / pngquant at its score | worst |\n|---|---|---|---|")
    for kind, of in found.items():
        ratios = [each[0] for each in of if each[0]]
        if ratios: print(f"| {kind} | {len(ratios)} of {len(of)} | {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f} | {max(ratios):.3f} |")
