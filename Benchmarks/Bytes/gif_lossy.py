"""Lossy GIF: bytes at the score of gifsicle -O3 --lossy=30, which is given our lossless files.

CALOTYPE is the command, PICTURES the number of pictures of each kind (8). Scores are SSIMULACRA2 beside the original.
"""
import math, os, shutil, sys, tempfile
import numpy as np
from PIL import Image
from measures import Reference, command
from pictures import pictures
from gif import CALOTYPE
import curves

COUNT, LEVELS = int(os.environ.get("PICTURES", "8")), (2, 4, 6, 8, 12, 16, 24, 32)


def score(reference, path):
    return reference.score(np.ascontiguousarray(np.asarray(Image.open(path).convert("RGB"))))


def main(prints):
    gifsicle = shutil.which("gifsicle") or sys.exit("gifsicle is not installed")
    print("| | gifsicle -O3 --lossy=30: bytes | score | our bytes / gifsicle's | time |\n|---|---|---|---|---|")
    ratios, counts = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        source, plain, ours, theirs = (os.path.join(folder, name) for name in ("a.png", "plain.gif", "ours.gif", "theirs.gif"))
        for kind, name, picture in pictures("photo", "graphic"):
            if counts.setdefault(kind, 0) == COUNT: continue
            counts[kind] += 1
            picture.save(source)
            reference = Reference(np.asarray(picture))
            command(CALOTYPE, "convert", source, plain)
            time = command(gifsicle, "-O3", "--lossy=30", plain, "-o", theirs)
            size, target = os.path.getsize(theirs), score(reference, theirs)
            points, spent = [], []
            for level in LEVELS:
                spent.append(command(CALOTYPE, "convert", "--set", f"loss={level}", source, ours))
                points.append((level, os.path.getsize(ours), score(reference, ours), spent[-1]))
            found = curves.at(points, target)
            if found is None:
                print(f"| {name} | {size:,} | {target:.1f} | beyond: {points[0][2]:.1f} to {points[-1][2]:.1f} | |", flush=True)
                continue
            ratios.setdefault(kind, []).append(math.exp(found) / size)
            print(f"| {name} | {size:,} | {target:.1f} | {ratios[kind][-1]:.3f} | {np.median(spent) / time:.2f} |", flush=True)
    for kind, values in ratios.items(): print(f"{kind}: {curves.mean(values):.3f} of {len(values)}, at most {max(values):.3f}")
