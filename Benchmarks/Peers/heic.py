"""Writes HEIC as phones do: a grid of tiles that libheif encodes, each alone, and an embedded thumbnail."""

import io
import struct


def box(kind, *parts):
    body = b"".join(parts)
    return struct.pack(">I", 8 + len(body)) + kind + body


def full(kind, version, flags, *parts):
    return box(kind, struct.pack(">I", version << 24 | flags), *parts)


def coded(image, quality):
    """The configuration and the data of a picture of its own file."""
    import pillow_heif

    pillow_heif.register_heif_opener()
    image = image.copy()
    image.info.clear()
    file = io.BytesIO()
    image.save(file, format="HEIF", quality=quality)
    data = file.getvalue()

    def find(kind):
        start = data.index(kind) - 4
        return data[start : start + struct.unpack(">I", data[start : start + 4])[0]]

    return find(b"hvcC"), find(b"mdat")[8:]


def grid(image, tile, quality, thumbnail):
    """The bytes of a file; the edges of the picture are repeated to fill the last tiles."""
    from PIL import Image, ImageOps

    columns, rows = -(-image.width // tile), -(-image.height // tile)
    canvas = Image.new("RGB", (columns * tile, rows * tile))
    canvas.paste(ImageOps.flip(image), (0, image.height))
    canvas.paste(image)
    corners = [(tile * x, tile * y) for y in range(rows) for x in range(columns)]
    pieces = [coded(canvas.crop((x, y, x + tile, y + tile)), quality) for x, y in corners]
    count = len(pieces)
    pieces.append(coded(image.resize(thumbnail, Image.Resampling.LANCZOS), quality))
    layout = struct.pack(">BBBBHH", 0, 0, rows - 1, columns - 1, *image.size)

    properties = []

    def number(data):
        if data not in properties:
            properties.append(data)
        return properties.index(data) + 1

    def size(width, height):
        return number(full(b"ispe", 0, 0, struct.pack(">II", width, height)))

    colors = number(box(b"colr", b"nclx", struct.pack(">HHHB", 1, 13, 6, 0x80)))
    owned = [(1, [size(*image.size), colors])]
    for index, (configuration, _) in enumerate(pieces):
        sides = (tile, tile) if index < count else thumbnail
        owned.append((index + 2, [size(*sides), number(configuration) | 0x80, colors]))
    entries = [full(b"infe", 2, 0, struct.pack(">HH", 1, 0), b"grid\0")]
    entries += [full(b"infe", 2, 1, struct.pack(">HH", index + 2, 0), b"hvc1\0") for index in range(count + 1)]
    references = full(
        b"iref", 0, 0,
        box(b"dimg", struct.pack(f">HH{count}H", 1, count, *range(2, count + 2))),
        box(b"thmb", struct.pack(">HHH", count + 2, 1, 1)),
    )
    associations = [struct.pack(">HB", item, len(numbers)) + bytes(numbers) for item, numbers in owned]

    def head(start):
        places, offset = [struct.pack(">HHHHII", 1, 1, 0, 1, 0, len(layout))], start
        for index, (_, data) in enumerate(pieces):
            places.append(struct.pack(">HHHHII", index + 2, 0, 0, 1, offset, len(data)))
            offset += len(data)
        return box(b"ftyp", b"heic", bytes(4), b"mif1heic") + full(
            b"meta", 0, 0,
            full(b"hdlr", 0, 0, bytes(4), b"pict", bytes(13)),
            full(b"pitm", 0, 0, struct.pack(">H", 1)),
            full(b"iloc", 1, 0, b"\x44\0", struct.pack(">H", len(places)), *places),
            full(b"iinf", 0, 0, struct.pack(">H", len(entries)), *entries),
            references,
            box(
                b"iprp", box(b"ipco", *properties),
                full(b"ipma", 0, 0, struct.pack(">I", len(associations)), *associations),
            ),
            box(b"idat", layout),
        )

    return head(len(head(0)) + 8) + box(b"mdat", *(data for _, data in pieces))
