#!/usr/bin/env python3
"""Writes pictures side by side at equal bytes: the original, before, balanced and small. usage: look.py OUT.png QUALITY [KIND/NAME...]

Crops of 300 by 300 pixels, at the size of the file before at that quality."""
import sys
import numpy as np
from PIL import Image, ImageDraw
import pictures
from measures import JPEG, Reference, decoded, rgbx

SIDE = 300
DEFAULT = ["photo/girl", "photo/astronaut", "photo/baby", "graphic/codec_wiki", "graphic/imessage", "photo/evening", "photo/bridge",
           "photo/storm", "photo/mountains", "photo/fig"]


def at_size(encode, size):
    """Returns the largest file that is not larger."""
    low, high = 1, 100
    while low < high:
        middle = (low + high + 1) // 2
        if len(encode(middle)) <= size: low = middle
        else: high = middle - 1
    return encode(low)


def main():
    out, quality, names = sys.argv[1], int(sys.argv[2]), sys.argv[3:] or DEFAULT
    encoder = JPEG()
    sheet = Image.new("RGB", (4 * SIDE + 12, len(names) * (SIDE + 18)), "white")
    for row, key in enumerate(names):
        kind, name = key.split("/")
        with Image.open(pictures.path(kind, name)) as picture: picture = picture.convert("RGB")
        array = np.ascontiguousarray(np.asarray(picture))
        pixels, reference = rgbx(array), Reference(array)
        before = encoder.encode(pixels, quality, standard=1)
        files = [("original", None), ("before", before), ("balanced", at_size(lambda q: encoder.encode(pixels, q), len(before))),
                 ("small", at_size(lambda q: encoder.encode(pixels, q, trims=1), len(before)))]
        left, top = (picture.width - SIDE) // 2, (picture.height - SIDE) // 2
        for column, (title, data) in enumerate(files):
            shown = decoded(data) if data else array
            crop = Image.fromarray(shown).crop((left, top, left + SIDE, top + SIDE))
            sheet.paste(crop, (column * (SIDE + 4), row * (SIDE + 18) + 16))
            text = f"{name} {title}" + (f" {len(data)} bytes, {reference.score(shown):.1f}" if data else "")
            ImageDraw.Draw(sheet).text((column * (SIDE + 4) + 2, row * (SIDE + 18) + 2), text, fill="black")
    sheet.save(out)


main()
