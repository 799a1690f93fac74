"""PNG: bytes and processor time beside oxipng -o2, and beside an earlier build.

CALOTYPE is the command, BEFORE an earlier build of it (optional), KINDS the kinds of pictures, "graphic,photo,made". The command reads a Windows bitmap, so that nothing is copied; its
time is that of the process less that of writing a bitmap.
"""
import math, os, shutil, struct, tempfile
import numpy as np
from PIL import Image
from pictures import pictures
from measures import command, timed

CALOTYPE, BEFORE = os.environ.get("CALOTYPE", "calotype"), os.environ.get("BEFORE")
KINDS = os.environ.get("KINDS", "graphic,photo,made").split(",")


def geometric(values): return math.exp(sum(map(math.log, values)) / len(values))


def write_bitmap(path, pixels):
    """Writes a Windows bitmap of RGBA; with alpha, one that has a mask for it, which Pillow does not write."""
    if (pixels[..., 3] == 255).all(): return Image.fromarray(pixels).convert("RGB").save(path)
    height, width = pixels.shape[:2]
    rows = pixels[::-1, :, [2, 1, 0, 3]].tobytes()
    masks = struct.pack("<4I", 0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    header = struct.pack("<IiiHHIIiiII", 108, width, height, 1, 32, 3, len(rows), 2835, 2835, 0, 0) + masks + b"BGRs" + bytes(48)
    with open(path, "wb") as file: file.write(b"BM" + struct.pack("<IHHI", 14 + len(header) + len(rows), 0, 0, 14 + len(header)) + header + rows)


def main(prints):
    import oxipng
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        source, out, copy, idle = (os.path.join(folder, name) for name in ("a.bmp", "b.png", "c.png", "d.bmp"))
        for kind, name, picture in pictures(*KINDS, mode="RGBA"):
            pixels = np.asarray(picture)
            write_bitmap(source, pixels)
            row = {"kind": kind, "name": name}
            start = min(command(CALOTYPE, "convert", source, idle) for _ in range(3))
            for label, tool in (("now", CALOTYPE), ("before", BEFORE)):
                if not tool: continue
                row[label + " ms"] = min(command(tool, "convert", source, out) for _ in range(3)) - start
                row[label] = os.path.getsize(out)
                if label == "now": shutil.copy(out, copy)
            assert (np.asarray(Image.open(copy).convert("RGBA")) == pixels).all(), name
            with open(copy, "rb") as file: data = file.read()
            made, row["oxipng ms"] = timed(lambda: oxipng.optimize_from_memory(data, level=2))
            row["oxipng"] = len(made)
            # With small effort; decoding twice for the comparison is part of it.
            row["small ms"] = command(CALOTYPE, "optimize", "--quiet", copy)
            row["small"] = os.path.getsize(copy)
            assert (np.asarray(Image.open(copy).convert("RGBA")) == pixels).all(), name
            rows.append(row)
            if prints: print(" ".join(f"{key}={value:.1f}" if isinstance(value, float) else f"{key}={value}" for key, value in row.items()), flush=True)
    print("\n| | pictures | now / before | ms | small / oxipng -o2 | of the total | worst | ms |\n|---|---|---|---|---|---|---|---|")
    for kind in ("graphic", "made", "photo"):
        of = [row for row in rows if row["kind"] == kind]
        if not of: continue
        old = f"{geometric([r['now'] / r['before'] for r in of]):.3f} | {sum(r['now ms'] for r in of) / sum(r['before ms'] for r in of):.2f}" if BEFORE else "– | –"
        ratios = [r["small"] / r["oxipng"] for r in of]
        print(f"| {kind} | {len(of)} | {old} | {geometric(ratios):.3f} | "
              f"{sum(r['small'] for r in of) / sum(r['oxipng'] for r in of):.3f} | {max(ratios):.3f} | {sum(r['small ms'] for r in of) / sum(r['oxipng ms'] for r in of):.2f} |")
