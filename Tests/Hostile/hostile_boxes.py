"""AVIF and JPEG XL that ask for much work or memory. Their pictures are those that the command writes."""
import os, struct, subprocess, tempfile


def box(kind, *parts):
    data = b"".join(parts)
    return struct.pack(">I", 8 + len(data)) + kind + data


def full(kind, version, flags, *parts):
    return box(kind, struct.pack(">I", version << 24 | flags), *parts)


def boxes(data, start=0, end=None):
    """(kind, start, behind the header, end) of each box, and of those inside the usual containers."""
    end = len(data) if end is None else end
    while start + 8 <= end:
        size, kind = struct.unpack_from(">I4s", data, start)
        stop = end if size < 8 else min(end, start + size)
        yield kind, start, start + 8, stop
        inner = {b"meta": 12, b"iprp": 8, b"ipco": 8, b"moov": 8, b"trak": 8, b"mdia": 8, b"minf": 8, b"stbl": 8}.get(kind)
        if inner: yield from boxes(data, start + inner, stop)
        start = stop


class Payloads:
    """Pictures of one colour in few bytes: AV1 data with their configuration, and whole files, by the command."""
    SIZES = [(64, 64), (512, 512), (2048, 2048)]

    def __init__(self, command, png, gif, photo):
        self.av1, self.track, self.jxl, self.frames, self.recoded = {}, b"", {}, [], b""
        with tempfile.TemporaryDirectory() as folder:
            def convert(name, data, out, *options):
                source, out = os.path.join(folder, name), os.path.join(folder, out)
                with open(source, "wb") as file: file.write(data)
                run = subprocess.run([command, "convert", source, out, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                return open(out, "rb").read() if run.returncode == 0 else b""
            for size in self.SIZES:
                file = convert("a.png", png(*size), "a.avif")
                if not file: break
                places = {kind: (inside, end) for kind, _, inside, end in boxes(file)}
                inside, end = places[b"mdat"]
                self.av1[size] = (file[slice(*places[b"av1C"])], file[inside:end])
            for size in self.SIZES:
                self.jxl[size] = [file for file in (convert("a.png", png(*size), "a.jxl", *options)
                                                    for options in ([], ["--lossless"])) if file]
            if self.jxl[self.SIZES[0]]:
                self.frames = [convert("a.gif", gif(*size), "a.jxl") for size in [(64, 64), (1024, 1024)]]
                with open(photo, "rb") as file: self.recoded = convert("a.jpg", file.read(), "a.jxl", "--lossless")
            if self.av1: self.track = convert("a.gif", gif(64, 64), "b.avif")


# AVIF (AV1 Image File Format; ISO/IEC 14496-12, 23008-12)

def ispe(width, height): return full(b"ispe", 0, 0, struct.pack(">II", width, height))
def pixi(*bits): return full(b"pixi", 0, 0, bytes([len(bits) & 255, *bits]))


def avif(items, properties, data, references=(), primary=1, extra=b"", inside=b""):
    """items: (id, kind, extents, property indices); extents: (offset in `data`, length)"""
    def build(base):
        wide = len(items) > 0xFFFF
        name = ">I" if wide else ">H"
        iloc = full(b"iloc", 2 if wide else 0, 0, b"\x44\0", struct.pack(name, len(items)), b"".join(
            struct.pack(name, item) + (b"\0\0" if wide else b"") + struct.pack(">HH", 0, len(extents) & 0xFFFF)
            + b"".join(struct.pack(">II", (base + offset) & 0xFFFFFFFF, length & 0xFFFFFFFF) for offset, length in extents)
            for item, _, extents, _ in items))
        iinf = full(b"iinf", 1, 0, struct.pack(">I", len(items)), b"".join(
            full(b"infe", 3 if wide else 2, 0, struct.pack(">IH" if wide else ">HH", item, 0), kind, b"\0") for item, kind, _, _ in items))
        ipma = full(b"ipma", 1 if wide else 0, 1, struct.pack(">I", len(items)), b"".join(
            struct.pack(">I" if wide else ">H", item) + bytes([min(255, len(indices))])
            + b"".join(struct.pack(">H", index) for index in indices[:255]) for item, _, _, indices in items))
        iref = full(b"iref", 1 if wide else 0, 0, b"".join(
            box(kind, struct.pack(name, source), struct.pack(">H", len(targets) & 0xFFFF), b"".join(struct.pack(name, t) for t in targets))
            for kind, source, targets in references)) if references else b""
        pitm = full(b"pitm", 1 if wide else 0, 0, struct.pack(name, primary))
        hdlr = full(b"hdlr", 0, 0, bytes(4) + b"pict" + bytes(13))
        return (box(b"ftyp", b"avif\0\0\0\0avifmif1miaf") + full(b"meta", 0, 0, hdlr, pitm, iloc, iinf, iref,
                box(b"iprp", box(b"ipco", *properties), ipma), inside) + extra)
    base = len(build(0)) + 8
    return build(base) + box(b"mdat", data)


def still(payloads, size, declared=None, more=(), data=None):
    config, av1 = payloads.av1[size]
    data = av1 if data is None else data
    properties = [ispe(*(declared or size)), pixi(8, 8, 8), box(b"av1C", config), *more]
    return avif([(1, b"av01", [(0, len(data))], list(range(1, len(properties) + 1)))], properties, data)


def some_size(random): return random.choice(Payloads.SIZES)
def lie(random): return random.choice([0, 1, 63, 64, 4096, 65_535, 65_536, 0x7FFFFFFF, 0xFFFFFFFF, int(10 ** random.uniform(0, 9))])


def avif_sizes(random, payloads):
    size = some_size(random)
    declared = random.choice([size, (lie(random), lie(random)), (size[0] + 1, size[1]), (size[1] + 64, size[0])])
    clap = box(b"clap", *(struct.pack(">I", lie(random)) for _ in range(8)))
    more = random.sample([clap, box(b"irot", b"\1"), box(b"imir", b"\1"), pixi(*[8] * random.randrange(255)),
                          box(b"pasp", struct.pack(">II", lie(random), lie(random))), box(b"a1lx", bytes([1]) + bytes(12)),
                          box(b"a1op", bytes([random.randrange(256)])), box(b"lsel", struct.pack(">H", lie(random) & 0xFFFF)),
                          box(b"colr", b"prof" + bytes(random.randrange(5000))), ispe(lie(random), lie(random))], random.randrange(5))
    return still(payloads, size, declared, more)


def avif_repeated(random, payloads):
    """One item whose data are many frames."""
    size = some_size(random)
    av1 = payloads.av1[size][1]
    # With or without the temporal delimiter and the sequence header.
    parts = random.choice([av1, av1[2:], av1[2 + 2 + av1[3]:]])
    count = int(10 ** random.uniform(0.3, 4.5))
    again = random.choice([parts, parts, b"\x1a\1\x88", b"\x1a\1\x98", b"\x12\0", b"\x7a\1\0"])
    return still(payloads, size, None, (), av1 + again * min(count, (4 << 20) // len(again)))


def avif_grid(random, payloads):
    size = some_size(random)
    rows, columns = random.choice([(1, 1), (2, 2), (16, 16), (64, 63), (256, 256), (1, 256), (random.randrange(1, 257), random.randrange(1, 257))])
    config, av1 = payloads.av1[size]
    whole = (size[0] * columns, size[1] * rows)
    canvas = random.choice([whole, whole, (max(1, whole[0] - 1), max(1, whole[1] - 1)), (lie(random), lie(random))])
    grid = bytes([0, 1, rows - 1, columns - 1]) + struct.pack(">II", canvas[0] & 0xFFFFFFFF, canvas[1] & 0xFFFFFFFF)
    count = random.choice([rows * columns, rows * columns, 1, min(65_535, rows * columns + 1)])
    # The same item for each tile, or items of the same bytes.
    if random.random() < 0.5:
        tiles, targets = [(2, b"av01", [(len(grid), len(av1))], [2, 3])], [2] * min(count, 65_535)
    else:
        count = min(count, 65_000)
        tiles = [(2 + index, b"av01", [(len(grid), len(av1))], [2, 3]) for index in range(count)]
        targets = [2 + index for index in range(count)]
    return avif([(1, b"grid", [(0, len(grid))], [1])] + tiles, [ispe(*canvas), ispe(*size), box(b"av1C", config)],
                grid + av1, [(b"dimg", 1, targets)])


def avif_cycles(random, payloads):
    size = (64, 64)
    config, av1 = payloads.av1[size]
    count = random.choice([1, 2, 3, 100, 4000])
    grid = bytes([0, 0, 0, 0]) + struct.pack(">HH", *size)
    kind, reference = random.choice([(b"grid", b"dimg"), (b"iden", b"dimg"), (b"av01", b"auxl"), (b"av01", b"prem"),
                                     (b"tmap", b"dimg"), (b"iovl", b"dimg"), (b"av01", b"thmb"), (b"Exif", b"cdsc")])
    closes = random.random() < 0.5
    items = [(1 + index, kind, [(0, len(grid))] if kind != b"av01" else [(len(grid), len(av1))], [1, 2, 3]) for index in range(count)]
    if not closes: items.append((count + 1, b"av01", [(len(grid), len(av1))], [1, 2, 3]))
    auxiliary = full(b"auxC", 0, 0, b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0")
    references = [(reference, 1 + index, [index + 2 if index + 1 < count or not closes else 1]) for index in range(count)]
    if random.random() < 0.3: references = [(reference, target, [source]) for reference, source, (target,) in references]
    return avif(items, [ispe(*size), box(b"av1C", config), auxiliary], grid + av1, references, primary=random.choice([1, count]))


def avif_items(random, payloads):
    """Many items, extents, properties or references."""
    size = (64, 64)
    config, av1 = payloads.av1[size]
    which, count = random.randrange(5), int(10 ** random.uniform(1, 5))
    main, properties = (1, b"av01", [(0, len(av1))], [1, 2]), [ispe(*size), box(b"av1C", config)]
    if which == 0: return avif([main] + [(2 + index, b"mime", [], []) for index in range(count)], properties, av1)
    if which == 1:
        pieces = [(index, 1) for index in range(len(av1))]
        empty = random.choice([(0, 0), (len(av1), 0)])
        return avif([(1, b"av01", (pieces + [empty] * count)[:65_535], [1, 2])], properties, av1)
    if which == 2: return avif([(1, b"av01", [(0, len(av1))], [1, 2] * 127)], properties + [box(b"free")] * count, av1)
    if which == 3: return avif([main], properties, av1, [(b"cdsc", 1, [1] * min(count, 65_535))] * random.choice([1, 10]))
    # The whole file again and again as one item.
    return avif([(1, b"av01", [(0, len(av1))] * min(count, 65_535), [1, 2])], properties, av1)


def avif_nested(random, payloads):
    """Boxes in boxes, and boxes of odd sizes."""
    file = still(payloads, (64, 64))
    kind = random.choice([b"meta", b"moov", b"iprp", b"free", b"trak", b"ipco", b"uuid"])
    depth = int(10 ** random.uniform(0, 4.5))
    odd = random.choice([b"", struct.pack(">I4s", 0, kind), struct.pack(">I4sQ", 1, kind, lie(random) << random.choice([0, 31])),
                         struct.pack(">I4s", random.randrange(8), kind), struct.pack(">I4s", 8, kind) * min(depth * 10, 300_000)])
    head = b"".join(struct.pack(">I4s4x", min(0xFFFFFFFF, 12 * (depth - index) + len(odd)), kind) for index in range(depth))
    place = random.choice([start for _, start, _, _ in boxes(file)] + [len(file)])
    return file[:place] + head + odd + file[place:]


def avif_cut(random, payloads):
    """Ends at a box, or a few bytes beside; or a number of a box is another one."""
    file = bytearray(random.choice([still(payloads, (64, 64)), payloads.track]))
    places = [place for _, start, inside, end in boxes(bytes(file)) for place in (start, inside, end)]
    place = random.choice(places) + random.choice([-1, 0, 1, 4])
    if random.random() < 0.5: return bytes(file[:max(0, place)])
    for _ in range(random.choice([1, 1, 3])):
        place = min(max(0, random.choice(places) + 4 * random.randrange(6)), len(file) - 4)
        struct.pack_into(">I", file, place, random.choice([0, 1, 8, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, random.randrange(1 << 16)]))
    return bytes(file)


def avif_sequence(random, payloads):
    """A track whose tables declare or repeat many samples."""
    size = random.choice([(64, 64), (512, 512), (2048, 2048)])
    config, av1 = payloads.av1[size]
    count = random.choice([1, 10, 1000, 8192, 8193, 100_000, 0xFFFFFFFF])
    real = min(count, 20_000)
    one_chunk, ticks, has_keys, tracks = random.random() < 0.5, random.choice([0, 1, 0xFFFFFFFF]), random.random() < 0.5, random.choice([1, 1, 1, 500])
    def track(base):
        entry = box(b"av01", bytes(6) + b"\0\1" + bytes(16) + struct.pack(">HH", *size) + bytes(50), box(b"av1C", config))
        chunk_count = 1 if one_chunk else real
        stbl = box(b"stbl",
                   full(b"stsd", 0, 0, struct.pack(">I", 1), entry),
                   full(b"stts", 0, 0, struct.pack(">III", 1, count, ticks)),
                   full(b"stsc", 0, 0, struct.pack(">IIII", 1, 1, count if one_chunk else 1, 1)),
                   full(b"stsz", 0, 0, struct.pack(">II", len(av1), count)),
                   full(b"stss", 0, 0, struct.pack(">II", 1, 1)) if has_keys else b"",
                   full(b"stco", 0, 0, struct.pack(">I", chunk_count), struct.pack(">I", base) * chunk_count))
        tkhd = full(b"tkhd", 0, 3, struct.pack(">IIIII", 0, 0, 1, 0, count & 0xFFFFFFFF) + bytes(52) + struct.pack(">II", size[0] << 16, size[1] << 16))
        mdia = box(b"mdia", full(b"mdhd", 0, 0, struct.pack(">IIIII", 0, 0, 30, count & 0xFFFFFFFF, 0)),
                   full(b"hdlr", 0, 0, bytes(4) + b"pict" + bytes(13)), box(b"minf", full(b"vmhd", 0, 1, bytes(8)), stbl))
        return box(b"moov", full(b"mvhd", 0, 0, struct.pack(">IIII", 0, 0, 30, count & 0xFFFFFFFF) + bytes(80)),
                   *[box(b"trak", tkhd, mdia)] * tracks)
    ftyp = box(b"ftyp", b"avis\0\0\0\0avisavifmif1msf1miaf")
    base = len(ftyp) + len(track(0)) + 8
    copies = min(real, (8 << 20) // len(av1)) if one_chunk else 1
    return ftyp + track(base) + box(b"mdat", av1 * copies)


AVIF = {"avif-sizes": avif_sizes, "avif-repeated": avif_repeated, "avif-grid": avif_grid, "avif-cycles": avif_cycles,
        "avif-items": avif_items, "avif-nested": avif_nested, "avif-cut": avif_cut, "avif-sequence": avif_sequence}


# JPEG XL (ISO/IEC 18181)

class Bits:
    """Numbers of some bits each, the lowest first."""
    def __init__(self): self.value, self.count = 0, 0

    def put(self, value, size):
        self.value |= (value & (1 << size) - 1) << self.count
        self.count += size

    def bytes(self): return self.value.to_bytes((self.count + 7) // 8, "little")


def jxl_size(bits, width, height):
    def side(value):
        value -= 1
        for choice, size in enumerate((9, 13, 18, 30)):
            if value < 1 << size: break
        bits.put(choice, 2)
        bits.put(value, size)
    bits.put(0, 1)
    side(height)
    bits.put(0, 3)
    side(width)


def container(*parts): return b"\0\0\0\x0cJXL \r\n\x87\n" + box(b"ftyp", b"jxl \0\0\0\0jxl ") + b"".join(parts)


def jxl_header(random, payloads):
    """A header that declares much, before the frames of another file."""
    bits = Bits()
    def most(): return min(1 << 30, max(1, lie(random)))
    jxl_size(bits, most(), most())
    bits.put(0, 1)
    bits.put(1, 1)
    bits.put(random.randrange(8), 3)
    for flag in range(2):  # an intrinsic size, a preview
        bits.put(0, 1)
    animated = random.random() < 0.5
    bits.put(animated, 1)
    if animated:
        bits.put(random.randrange(4), 2)
        bits.put(lie(random), 32)
    for _ in range(random.randrange(12)): bits.put(random.getrandbits(32), 32)
    body = random.choice(payloads.jxl[some_size(random)])
    return b"\xff\x0a" + bits.bytes() + body[random.randrange(2, min(20, len(body))):]


def jxl_bits(random, payloads):
    """A few bits of the headers are others."""
    files = [file for files in payloads.jxl.values() for file in files] + payloads.frames
    file = bytearray(random.choice(files))
    for _ in range(random.choice([1, 2, 4])):
        place = min(random.randrange(2, 40), len(file) - 1)
        file[place] ^= 1 << random.randrange(8)
    return bytes(file)


def jxl_boxes(random, payloads):
    """Many boxes, boxes out of order, and boxes of odd sizes."""
    stream = random.choice(payloads.jxl[(64, 64)])
    start = stream.find(b"\xff\x0a")
    if stream[:2] != b"\xff\x0a": stream = stream[start:]
    count = int(10 ** random.uniform(0, 5))
    which = random.randrange(6)
    if which == 0:
        parts = [box(b"jxlp", struct.pack(">I", index), stream[index:index + 1]) for index in range(len(stream))]
        if random.random() < 0.5: random.shuffle(parts)
        return container(*parts)
    if which == 1: return container(*[box(b"jxlp", struct.pack(">I", index)) for index in range(count)], box(b"jxlp", struct.pack(">I", 0x80000000 | count), stream))
    if which == 2: return container(box(random.choice([b"Exif", b"xml ", b"brob", b"jumb", b"jbrd", b"jxlc"]), bytes(random.randrange(9))) * count, box(b"jxlc", stream))
    if which == 3: return container(box(b"brob", random.choice([b"Exif", b"xml ", b"jxlc"]), random.randbytes(random.randrange(5000))) * min(count, 500), box(b"jxlc", stream))
    if which == 4:
        kind = random.choice([b"jxlc", b"jxlp", b"free", b"Exif"])
        odd = random.choice([struct.pack(">I4s", 0, kind), struct.pack(">I4sQ", 1, kind, lie(random) << random.choice([0, 31])), struct.pack(">I4s", random.randrange(8), kind)])
        return container(odd, box(b"jxlc", stream))
    return container(box(b"jxll", bytes([random.randrange(256)])), *[box(b"jxlc", stream)] * min(count, 1000))


def jxl_frames(random, payloads):
    """The frames of an animation again and again: the longest run of bytes that it repeats."""
    file = random.choice(payloads.frames)
    for end in range(len(file), len(file) // 2, -1):
        for period in range(12, end // 2):
            if file[end - 2 * period:end - period] == file[end - period:end]:
                count = min(int(10 ** random.uniform(0, 5)), (8 << 20) // period)
                return file[:end] + file[end - period:end] * count + file[end:]
    return file


def jxl_cut(random, payloads):
    file = random.choice([random.choice(payloads.jxl[some_size(random)]), random.choice(payloads.frames), payloads.recoded])
    return file[:random.randrange(len(file))] + random.choice([b"", bytes(random.randrange(1000)), b"\xff" * random.randrange(1000)])


def jxl_recoded(random, payloads):
    """A JPEG, whose headers or whose order of bits are others."""
    file = bytearray(payloads.recoded)
    places = [(inside, end) for kind, _, inside, end in boxes(bytes(file)) if kind in (b"jbrd", b"jxlc", b"jxlp")]
    for _ in range(random.choice([1, 1, 4, 16])):
        inside, end = random.choice(places)
        file[random.randrange(inside, max(inside + 1, min(end, inside + random.choice([16, 200, 1 << 20]))))] = random.choice([0, 0x7F, 0xFF, random.randrange(256)])
    return bytes(file)


JXL = {"jxl-header": jxl_header, "jxl-bits": jxl_bits, "jxl-boxes": jxl_boxes, "jxl-frames": jxl_frames, "jxl-cut": jxl_cut,
       "jxl-recoded": jxl_recoded}


def kinds(payloads):
    """The kinds of the formats that the command writes."""
    found = dict(AVIF) if payloads.av1 else {}
    if payloads.frames: found.update(JXL)
    return {name: lambda random, make=make: make(random, payloads) for name, make in found.items()}
