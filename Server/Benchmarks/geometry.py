#!/usr/bin/env python3
"""geometry.py BUILD PEERS [PICTURE ...]: thumbnails of pictures beside those of vipsthumbnail, and beside a full decode with Lanczos.

BUILD is the folder with calotype-server, PEERS a Python environment with pyvips and Pillow. Without pictures, fifty are made of the
sample photos: crops of several shapes, as JPEG, PNG and WebP. Sizes have to be those of vipsthumbnail, but for halves, which
it rounds down. The mean difference of the samples has to be at most two levels over all pictures to vipsthumbnail, which first
averages boxes of pixels, and three for each picture to Pillow, which decodes all pixels and filters them by Lanczos's window."""
import os
import subprocess
import sys
import tempfile

import bench

BOXES = [(320, 320), (512, 200), (150, 600)]
LIMIT, EXACT_LIMIT = 2.0, 3.0
MAKE = """
import glob, itertools, pyvips, sys
photos = sorted(glob.glob(sys.argv[1] + '/*.jpg'))
shapes = [(1600, 1200), (1200, 1600), (1900, 700), (1333, 997), (641, 1001)]
kinds = ['jpg[Q=85,strip]', 'jpg[Q=92,strip,subsample_mode=off]', 'png[strip]', 'webp[Q=85,strip]']
for number, (photo, shape, kind) in zip(range(50), itertools.cycle(itertools.product(photos, shapes, kinds))):
    step = 7 * number + 3
    kind = kinds[number % 4]
    shape = shapes[number % 5]
    photo = photos[step % len(photos)]
    image = pyvips.Image.thumbnail(photo, shape[0], height=shape[1], crop='centre')
    image.write_to_file(f'{sys.argv[2]}/{number:02}.{kind}')
"""
COMPARE = """
import numpy, pyvips, sys
from PIL import Image
def pixels(path):
    image = pyvips.Image.new_from_file(path)
    if image.hasalpha(): image = image.flatten()
    return image.colourspace('srgb').numpy().astype(float)
for line in sys.stdin:
    *paths, source = line.rstrip('\\n').split('\\t')
    ours, theirs = map(pixels, paths)
    ours, theirs = (each if each.ndim == 3 else each[..., None].repeat(3, 2) for each in (ours, theirs))
    exact = numpy.asarray(Image.open(source).convert('RGB').resize(ours.shape[1::-1], Image.LANCZOS)).astype(float)
    same = ours.shape[:2] == theirs.shape[:2]
    print(*ours.shape[1::-1], *theirs.shape[1::-1], abs(ours[..., :3] - exact).mean(),
          abs(ours[..., :3] - theirs[..., :3]).mean() if same else 'nan')
"""


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, peers, pictures = sys.argv[1], sys.argv[2], sys.argv[3:]
    folder = tempfile.mkdtemp()
    python = peers + "/bin/python"
    if not pictures:
        subprocess.run([python, "-c", MAKE, bench.PHOTOS, folder], check=True)
        pictures = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    else:
        for each in pictures:
            os.symlink(os.path.abspath(each), os.path.join(folder, os.path.basename(each)))
    server = bench.Bench(build, peers).calotype(root=folder)
    pairs = []
    for picture in pictures:
        name = os.path.basename(picture)
        for width, height in BOXES:
            stem = os.path.join(folder, f"{name}-{width}x{height}")
            status, body, _ = server.get(f"/unsafe/rs:fit:{width}:{height}/f:png/plain/local:///{name}")
            if status != 200:
                sys.exit(f"{name}: {status} {body[:200]}")
            with open(stem + "-ours.png", "wb") as file:
                file.write(body)
            subprocess.run(
                ["vipsthumbnail", picture, "-s", f"{width}x{height}>", "-o", stem + "-theirs.png"], check=True)
            pairs.append((name, width, height, stem))
    server.stop()
    lines = "".join(f"{stem}-ours.png\t{stem}-theirs.png\t{os.path.join(folder, name)}\n" for name, _, _, stem in pairs)
    output = subprocess.run([python, "-c", COMPARE], input=lines, capture_output=True, text=True, check=True).stdout
    bad, exact, theirs = 0, [], []
    for (name, width, height, _), line in zip(pairs, output.splitlines()):
        *sizes, to_exact, to_theirs = map(float, line.split())
        exact.append(to_exact)
        if to_theirs == to_theirs:
            theirs.append(to_theirs)
        near = all(abs(sizes[i] - sizes[i + 2]) <= 1 for i in (0, 1))
        if not near or to_exact > EXACT_LIMIT:
            bad += 1
            print(f"{name} in {width}x{height}: {sizes[0]:.0f}x{sizes[1]:.0f} beside {sizes[2]:.0f}x{sizes[3]:.0f}, {to_exact:.2f} levels")
    mean = sum(theirs) / len(theirs)
    print(f"{len(pictures)} pictures, {len(pairs)} thumbnails, {len(pairs) - len(theirs)} of another rounding; mean difference to Pillow "
          f"{sum(exact) / len(exact):.2f} levels, largest {max(exact):.2f}; to vipsthumbnail {mean:.2f}; {bad} bad")
    sys.exit(1 if bad or mean > LIMIT else 0)


main()
