"""BMP, ICO and QOI that ask for much work or memory."""
import struct


def lie(random):
    return random.choice([0, 1, 2, 64, 4096, 65_535, 65_536, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, int(10 ** random.uniform(0, 9.6))])


def side(random): return random.choice([1, 16, 256, int(10 ** random.uniform(0, 4.8))])


# BMP (Microsoft, BITMAPFILEHEADER and BITMAPINFOHEADER)

def info(width, height, bits, compression, palette=0, size=40, masks=b"", planes=1, image_bytes=0):
    head = struct.pack("<IiiHHIIiiII", size, signed(width), signed(height), planes, bits, compression, image_bytes, 2835, 2835, palette & 0xFFFFFFFF, 0)
    return head + masks + bytes(max(0, size - 40 - len(masks)))


def signed(value): return (value & 0xFFFFFFFF) - (1 << 32 if value & 0x80000000 else 0)


def bmp(head, palette, data, offset=None):
    place = 14 + len(head) + len(palette)
    return b"BM" + struct.pack("<IHHI", place + len(data), 0, 0, place if offset is None else offset & 0xFFFFFFFF) + head + palette + data


def bmp_still(random):
    """Pixels that are there, and pixels that are not."""
    width, height, bits = side(random), side(random), random.choice([1, 2, 4, 8, 16, 24, 32])
    if width * height > 200_000_000: height = max(1, 200_000_000 // width)
    row = (width * bits + 31) // 32 * 4
    data = bytes(min(row * height, random.choice([0, 1, 1 << 16, 24 << 20])))
    size = random.choice([40, 52, 56, 108, 124])
    masks = struct.pack("<IIII", *[random.choice([0, 0xFF, 0xFF00, 0xFF0000, 0xFFFFFFFF, 0x80000001, random.getrandbits(32)]) for _ in range(4)])
    if random.random() < 0.5: height = -height
    compression = random.choice([0, 0, 3 if bits in (16, 32) else 0])
    return bmp(info(width, height, bits, compression, size=size, masks=masks if size > 40 or compression == 3 else b""), bytes(4 << bits) if bits <= 8 else b"", data)


def bmp_runs(random):
    """Runs, lines and jumps without end."""
    bits, compression = random.choice([(8, 1)] * 6 + [(4, 2)] * 6 + [(8, 2), (4, 1), (24, 4), (1, 3)])
    width, height = side(random), side(random)
    piece = random.choice([b"\xff\1", b"\0\0", b"\0\2\0\0", b"\0\2\xff\xff", b"\0\2\0\1", b"\0\3\1\1\1\0", b"\0\xff" + bytes(256), b"\1\1", b"\xff\1\0\0",
                           bytes([random.randrange(256), random.randrange(256)])])
    data = piece * min(int(10 ** random.uniform(0, 6.5)), (6 << 20) // len(piece)) + random.choice([b"", b"\0\1"])
    return bmp(info(width, height, bits, compression, palette=1 << bits), bytes(4 << bits) if bits <= 8 else b"", data)


def bmp_header(random):
    """Numbers that cannot be."""
    fields = [random.choice([24, 8, 4, 1, 32, lie(random) & 0xFFFF]), random.choice([0, 1, 2, 3, 4, 5, 6, 11, 12, 13, lie(random)])]
    size = random.choice([40, 12, 16, 64, 108, 124, lie(random)])
    if size in (12,):
        head = struct.pack("<IHHHH", 12, lie(random) & 0xFFFF, lie(random) & 0xFFFF, 1, fields[0])
    else:
        head = info(lie(random), lie(random), fields[0], fields[1], palette=lie(random), planes=random.choice([0, 1, 65_535]), image_bytes=lie(random))
        head = struct.pack("<I", size) + head[4:] + bytes(min(max(0, size - 40), 200))
        if size == 124:  # a profile somewhere
            head = head[:108] + struct.pack("<IIII", random.choice([0, 2]), lie(random), lie(random), 0)
    return bmp(head, bytes(random.choice([0, 8, 1024])), bytes(random.choice([0, 100, 10_000])), offset=random.choice([None, None, lie(random)]))


# ICO, CUR (Microsoft)

def ico(entries, data, count=None, kind=1):
    """entries: (width, height, bits, bytes, offset), the offset behind the directory"""
    place = 6 + 16 * len(entries)
    return struct.pack("<HHH", 0, kind, (len(entries) if count is None else count) & 0xFFFF) + b"".join(
        struct.pack("<BBBBHHII", w & 255, h & 255, 0, 0, 1, bits, size & 0xFFFFFFFF, (place + offset) & 0xFFFFFFFF) for w, h, bits, size, offset in entries) + data


def ico_pictures(random, png):
    """Many entries, of the same picture, of overlapping ones, of large ones."""
    count = random.choice([1, 2, 100, 65_535, int(10 ** random.uniform(0, 4.8))])
    if random.random() < 0.5:
        data = png(side(random), side(random))
    else:
        width, height, bits = side(random), side(random), random.choice([1, 4, 8, 24, 32])
        if width * height > 100_000_000: height = max(1, 100_000_000 // width)
        row = (width * bits + 31) // 32 * 4
        data = info(width, random.choice([2 * height, height, -2 * height, lie(random)]), bits, random.choice([0, 0, 0, 1, 3]))
        data += bytes(4 << bits if bits <= 8 else 0) + bytes(min(row * height, random.choice([0, 1 << 16, 8 << 20])))
    step = random.choice([0, 0, 1])
    return ico([(random.choice([0, 16, 32]), random.choice([0, 16, 32]), 32, len(data), min(index * step, len(data))) for index in range(count)], data,
               kind=random.choice([1, 1, 2]))


def ico_directory(random, png):
    """Directories that lie."""
    data = png(16, 16)
    entries = [(16, 16, 32, random.choice([len(data), lie(random)]), random.choice([0, lie(random)])) for _ in range(random.randrange(1, 50))]
    return ico(entries, data, count=random.choice([None, None, lie(random)]))


# QOI (qoiformat.org)

def qoi_runs(random):
    """One code again and again, for a picture of any size."""
    width, height = random.choice([(side(random), side(random))] * 3 + [(lie(random), lie(random))])
    code = random.choice([b"\xfd", b"\xc0", b"\0", b"\x80\x88", b"\xfe\1\2\3", b"\xff\1\2\3\4", b"\x6a", bytes([random.randrange(256)])])
    count = min(int(10 ** random.uniform(0, 6.8)), (6 << 20) // len(code))
    head = b"qoif" + struct.pack(">IIBB", width, height, random.choice([3, 4, 4, 4, 7]), random.choice([0, 1, 1, 1, 2]))
    return head + code * count + random.choice([bytes(7) + b"\1", b"", bytes(7)])


def kinds(png):
    return {"bmp-still": bmp_still, "bmp-runs": bmp_runs, "bmp-header": bmp_header,
            "ico-pictures": lambda random: ico_pictures(random, png), "ico-directory": lambda random: ico_directory(random, png),
            "qoi-runs": qoi_runs}
