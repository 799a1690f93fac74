"""TIFFs that ask for much work or memory (TIFF 6.0, and BigTIFF)."""
import struct, zlib

SHORT, LONG, LONG8 = 3, 4, 16
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}


def lie(random):
    return random.choice([0, 1, 2, 8, 64, 4096, 65_535, 65_536, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, int(10 ** random.uniform(0, 9.6))])


def side(random): return random.choice([1, 64, 1000, int(10 ** random.uniform(0, 4.8))])


class TIFF:
    """Directories one after the other, and behind them data that they share."""
    def __init__(self, big=False):
        self.big, self.directories, self.data, self.links = big, [], bytearray(), []

    def place(self, data):
        """The offset of data among the data."""
        self.data += data
        return len(self.data) - len(data)

    def add(self, entries, following=None):
        """entries: (tag, type, values, count or None); a value ("data", offset) or ("directory", index) is a position.
        following: the index of the next directory, or a position; `None` for the next one."""
        self.directories.append((entries, following))

    def bytes(self):
        wide = 8 if self.big else 4
        word = "<Q" if self.big else "<I"
        head = 16 if self.big else 8
        starts, at = [], head
        for entries, _ in self.directories:
            starts.append(at)
            at += (8 if self.big else 2) + len(entries) * (12 + 2 * (wide - 4)) + wide
        base = at + sum(self.overflow(values, kind, wide) for entries, _ in self.directories for _, kind, values, _ in entries)
        out, outside = bytearray(), bytearray()
        mask = (1 << 8 * wide) - 1
        for index, (entries, following) in enumerate(self.directories):
            out += struct.pack("<Q" if self.big else "<H", len(entries))
            for tag, kind, values, count in entries:
                numbers = [base + v[1] if isinstance(v, tuple) and v[0] == "data" else starts[v[1] % len(starts)] if isinstance(v, tuple) else v for v in values]
                size = SIZES.get(kind, 4)
                raw = b"".join((number & (1 << 8 * size) - 1).to_bytes(size, "little") for number in numbers)
                out += struct.pack("<HH", tag, kind) + struct.pack(word, (len(numbers) if count is None else count) & mask)
                if len(raw) <= wide:
                    out += raw + bytes(wide - len(raw))
                else:
                    out += struct.pack(word, at + len(outside))
                    outside += raw + bytes(len(raw) & 1)
            last = index + 1 == len(self.directories)
            link = (0 if last else starts[index + 1]) if following is None else starts[following] if following < len(starts) else following
            out += struct.pack(word, link & mask)
        begin = b"II+\0\x08\0\0\0" + struct.pack("<Q", head) if self.big else b"II*\0" + struct.pack("<I", head)
        return begin + bytes(out + outside) + bytes(self.data)

    @staticmethod
    def overflow(values, kind, wide):
        size = len(values) * SIZES.get(kind, 4)
        return size + (size & 1) if size > wide else 0


def picture(width, height, bits=8, samples=3, compression=1, photometric=2, planar=1):
    return [(256, LONG, [width], None), (257, LONG, [height], None), (258, SHORT, [bits] * min(samples, 100), None), (259, SHORT, [compression], None),
            (262, SHORT, [photometric], None), (277, SHORT, [samples], None), (284, SHORT, [planar], None)]


def packed(random, compression, count):
    """Data that expand to `count` bytes of zeros, or further."""
    count = min(count, 1 << 26)
    if compression in (8, 32946): return zlib.compress(bytes(count), 9)
    if compression == 32773: return b"\x81\0" * (count // 128 + 1)
    if compression == 5: return lzw(count)
    if compression in (2, 3, 4): return random.choice([b"\0", b"\xff", b"\x55", b"\0\x10"]) * min(count // 8 + 1, 1 << 20)
    return bytes(min(count, random.choice([0, 100, 1 << 16, 8 << 20])))


def lzw(count):
    """Codes of one colour, the highest bits first: each is one byte longer than the one before."""
    value, used, out = 0, 0, bytearray()
    def put(code, size):
        nonlocal value, used
        value, used = value << size | code, used + size
        while used >= 8:
            used -= 8
            out.append(value >> used & 255)
            value &= (1 << used) - 1
    done = 0
    while done < count:
        put(256, 9)
        put(0, 9)
        done, code, size = done + 1, 258, 9
        while code < 4093 and done < count:
            put(code, size)
            done += code - 256
            code += 1
            if code + 1 >= 1 << size and size < 12: size += 1
    put(257, 9)
    if used: out.append(value << 8 - used & 255)
    return bytes(out)


COMPRESSIONS = [1, 5, 8, 32946, 32773, 2, 3, 4, 50000, 50001, 7, 34712, 34887, 34925]


def strips(random):
    """Many strips, of the same bytes, or few that expand far."""
    compression = random.choice(COMPRESSIONS[:9])
    bits, samples, photometric = random.choice([(8, 3, 2), (8, 1, 1), (1, 1, 0), (16, 3, 2), (8, 4, 5), (4, 1, 3), (8, 3, 6), (8, 3, 8), (12, 1, 1)])
    if compression in (2, 3, 4): bits, samples, photometric = 1, 1, 0
    width, height = side(random), side(random)
    if width * height > 300_000_000: height = max(1, 300_000_000 // width)
    rows = random.choice([1, 8, height, max(1, height // 3), 0xFFFFFFFF, 0])
    count = (height + max(1, rows) - 1) // max(1, rows)
    count = random.choice([count, count, count, 1, count + 1, 100_000]) if count < 100_000 else count
    file = TIFF(random.random() < 0.2)
    size = (width * bits * samples + 7) // 8 * min(rows or 1, height)
    data = packed(random, compression, size)
    start = file.place(data)
    entries = picture(width, height, bits, samples, compression, photometric) + [
        (273, LONG, [("data", start)] * min(count, 100_000), None), (278, LONG, [rows], None),
        (279, LONG, [random.choice([len(data), len(data), lie(random)])] * min(count, 100_000), None)]
    if photometric == 3: entries.append((320, SHORT, [0] * (3 << bits), None))
    if random.random() < 0.2: entries.append((317, SHORT, [random.choice([2, 3, 7])], None))
    file.add(sorted(entries))
    return file.bytes()


def tiles(random):
    """Tiles that are large, many, or lie."""
    compression = random.choice(COMPRESSIONS[:5])
    width, height = side(random), side(random)
    if width * height > 300_000_000: height = max(1, 300_000_000 // width)
    tile = random.choice([(16, 16), (256, 256), (65_520, 65_520), (16, 65_520), (65_520, 16), (4096, 4096), (lie(random), lie(random))])
    across, down = (width + max(1, tile[0]) - 1) // max(1, tile[0]), (height + max(1, tile[1]) - 1) // max(1, tile[1])
    count = min(across * down, 200_000)
    file = TIFF(random.random() < 0.2)
    data = packed(random, compression, min(tile[0] * tile[1] * 3, 1 << 26))
    start = file.place(data)
    file.add(sorted(picture(width, height, compression=compression, planar=random.choice([1, 1, 2])) + [
        (322, LONG, [tile[0]], None), (323, LONG, [tile[1]], None), (324, LONG, [("data", start)] * count, None), (325, LONG, [len(data)] * count, None)]))
    return file.bytes()


def jpegs(random, jpeg):
    """Strips and tiles of JPEG, whose sizes, tables or scans are others."""
    inside = random.choice([(64, 64), (65_500, 65_500), (side(random), side(random))])
    sof = random.choice([0xC0, 0xC0, 0xC2, 0xC3, 0xC9])
    every = [1, 2, 3]
    scans = [(every, 0, 0 if sof == 0xC2 else 63, 0, 0, b"\0" * random.randrange(1000))]
    if sof == 0xC2: scans += [([1], 1, 63, 0, 0, b"\0" * 8)] * random.choice([1, 10, 1000])
    stream = jpeg(*inside, 3, sof, scans)
    width, height = random.choice([inside, (side(random), side(random))])
    rows = random.choice([height, 8, 64])
    count = min((height + rows - 1) // rows, 20_000)
    compression = random.choice([7, 7, 7, 6])
    file = TIFF()
    start, tables = file.place(stream), file.place(stream[:random.randrange(len(stream))])
    entries = picture(width, height, compression=compression, photometric=random.choice([6, 2])) + [
        (273, LONG, [("data", start)] * count, None), (278, LONG, [rows], None), (279, LONG, [len(stream)] * count, None)]
    if compression == 6: entries += [(513, LONG, [("data", start)], None), (514, LONG, [random.choice([len(stream), lie(random)])], None), (512, SHORT, [random.choice([1, 14])], None)]
    elif random.random() < 0.5: entries.append((347, 7, [stream[index] for index in range(min(len(stream), 600))], None))
    if random.random() < 0.3: entries.append((530, SHORT, [random.choice([1, 2, 4, 0, 255]), random.choice([1, 2, 4, 0])], None))
    file.add(sorted(entries))
    return file.bytes()


def chains(random):
    """Directories that follow each other without end, or hang below each other."""
    file = TIFF(random.random() < 0.3)
    start = file.place(bytes(3 * 64 * 64))
    count = int(10 ** random.uniform(0, 4.3))
    shape = random.choice(["pages", "loop", "self", "children", "family", "versions", "elsewhere"])
    for index in range(count):
        size = 64 if shape != "versions" else max(1, 64 >> min(6, index % 8))
        entries = picture(size, size) + [(273, LONG, [("data", start)], None), (278, LONG, [size], None), (279, LONG, [3 * size * size], None)]
        if shape in ("children", "family"):
            children = [("directory", index + 1)] if shape == "children" else [("directory", other) for other in range(min(count, 300))]
            entries.append((330, LONG, children, None))
        if shape == "versions": entries.append((254, LONG, [1 if index else 0], None))
        following = {"loop": 0 if index + 1 == count else None, "self": index, "children": 10 ** 12, "elsewhere": random.choice([1, 7, lie(random)])}.get(shape)
        if shape == "children": following = None if index == 0 else len(file.directories)
        file.add(sorted(entries), following)
    return file.bytes()


def entries(random):
    """Numbers that cannot be: types, counts and values of the entries of a sound file."""
    file = TIFF(random.random() < 0.3)
    start = file.place(bytes(3 * 64 * 64))
    found = picture(64, 64) + [(273, LONG, [("data", start)], None), (278, LONG, [64], None), (279, LONG, [3 * 64 * 64], None)]
    for _ in range(random.choice([1, 1, 2, 5])):
        index = random.randrange(len(found))
        tag, kind, values, count = found[index]
        change = random.randrange(4)
        if change == 0: kind = random.choice([0, 1, 2, 5, 7, 9, 11, 12, 13, 16, 18, 99])
        if change == 1: count = random.choice([0, 2, 65_535, 0x7FFFFFFF, 0xFFFFFFFF, lie(random)])
        if change == 2: values = [lie(random)]
        if change == 3: values = values * random.choice([0, 2, 1000])
        found[index] = (tag, kind, values, count)
    for tag in random.sample([266, 274, 282, 301, 305, 317, 320, 332, 338, 339, 342, 347, 529, 530, 532, 34377, 34665, 34675, 37724, 40961, 50706], random.randrange(6)):
        found.append((tag, random.choice([1, 2, 3, 4, 5, 7, 13]), [lie(random)] * random.choice([1, 4, 5000]), random.choice([None, None, lie(random)])))
    if random.random() < 0.2: found += [(40_000 + index, LONG, [1], None) for index in range(random.choice([10, 25_000]))]
    if random.random() < 0.8: found.sort()
    file.add(found)
    data = file.bytes()
    return data if random.random() < 0.7 else data[:random.randrange(len(data))]


def kinds(jpeg):
    return {"tiff-strips": strips, "tiff-tiles": tiles, "tiff-jpegs": lambda random: jpegs(random, jpeg), "tiff-chains": chains, "tiff-entries": entries}
