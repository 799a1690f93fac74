#!/usr/bin/env python3
"""Compares the bytes and the CPU time of two formats at equal quality, by SSIMULACRA2, with the command.

usage: equal_quality.py [--format F] [--against F] [--quality N] [--size WxH] [--rounds N] COMMAND PICTURE...

Each picture is cropped to the proportions of the size and scaled to it; of those that are twice as large, the middle is a
picture of its own. The quality at which `--format` scores as `--against` does at `--quality` is found by the secant method.
Where two neighbouring qualities are on both sides of that score, their bytes are interpolated.

CPU time is that of the process of the command, the median over the rounds, less that of the same work on a picture of 16
by 16 pixels, and less that of reading the picture: a conversion to BMP, which costs nothing. Needs Pillow and ssimulacra2
from PyPI; imagecodecs for JPEG XL.
"""
import argparse, math, os, statistics, sys, tempfile
from PIL import Image
from ssimulacra2 import compute_ssimulacra2

TOLERANCE = 0.2


def pictures(paths, size):
    """Yields names and pictures of the size."""
    for path in paths:
        with Image.open(path) as opened: picture = opened.convert("RGB")
        name = os.path.basename(path).split("-")[0].split(".")[0]
        scale = max(size[0] / picture.width, size[1] / picture.height)
        for label, factor in [("", 1), (", middle", 2)]:
            if scale * factor > 1: continue
            width, height = (side / scale / factor for side in size)
            left, top = max(0, (picture.width - width) / 2), max(0, (picture.height - height) / 2)
            box = (left, top, min(left + width, picture.width), min(top + height, picture.height))
            yield name + label, picture.resize(size, Image.LANCZOS, box)


class Encoder:
    """The command, for one picture."""
    def __init__(self, command, folder, picture):
        self.command, self.folder = command, folder
        self.source, self.small = (os.path.join(folder, name) for name in ("source.png", "small.png"))
        picture.save(self.source)
        picture.resize((16, 16)).save(self.small)

    def run(self, form, quality=None, source=None):
        """Returns the file, and the CPU time in milliseconds."""
        out = os.path.join(self.folder, f"out.{form}")
        words = [self.command, "convert", source or self.source, out] + ([] if quality is None else ["--quality", str(quality)])
        child = os.posix_spawn(self.command, words, os.environ, file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
        _, status, usage = os.wait4(child, 0)
        if status: sys.exit(f"{' '.join(words)}: status {os.waitstatus_to_exitcode(status)}")
        return out, 1000 * (usage.ru_utime + usage.ru_stime)

    def costs(self, settings, rounds):
        """Returns the CPU time of each format and quality, in milliseconds."""
        settings = settings + [("bmp", None)]
        times = [[] for _ in settings]
        for _ in range(rounds):
            for index, (form, quality) in enumerate(settings):
                times[index].append(self.run(form, quality)[1] - self.run(form, quality, self.small)[1])
        medians = [statistics.median(each) for each in times]
        return [median - medians[-1] for median in medians[:-1]]

    def score(self, form, quality):
        """Returns the score and the number of bytes."""
        out, _ = self.run(form, quality)
        decoded = os.path.join(self.folder, "decoded.png")
        if form == "jxl":
            import imagecodecs
            with open(out, "rb") as file: Image.fromarray(imagecodecs.jpegxl_decode(file.read())).save(decoded)
        else:
            with Image.open(out) as picture: picture.convert("RGB").save(decoded)
        return compute_ssimulacra2(self.source, decoded), os.path.getsize(out)


def equal(encoder, form, target, start):
    """Returns the quality whose score is the target, the score of the nearest one, and the bytes at the target."""
    known = {}
    def at(quality):
        quality = min(max(quality, 0), 100)
        if quality not in known: known[quality] = encoder.score(form, quality)
        return quality
    a, b = at(start), at(start + 4)
    while True:
        nearest = min(known, key=lambda quality: abs(known[quality][0] - target))
        if abs(known[nearest][0] - target) <= TOLERANCE: return nearest, known[nearest][0], known[nearest][1]
        below = [quality for quality in known if known[quality][0] < target]
        above = [quality for quality in known if known[quality][0] >= target]
        if below and above and min(above) - max(below) <= 1:
            low, high = max(below), min(above)
            (s, m), (t, n) = known[low], known[high]
            share = (target - s) / (t - s)
            return low + share, known[nearest][0], math.exp(math.log(m) + share * (math.log(n) - math.log(m)))
        slope = (known[b][0] - known[a][0]) / (b - a) or 0.4
        guess = round(b + (target - known[b][0]) / slope)
        if below and above:
            # Between them: the secant may leave the bracket, or stand still on a step of the scale.
            low, high = max(below), min(above)
            if not low < guess < high: guess = (low + high) // 2
        if guess in known: guess = guess + 1 if guess == max(known) else min(known) - 1
        if not 0 <= guess <= 100: sys.exit(f"{form} reaches no score of {target:.1f}")
        a, b = b, at(guess)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("command")
    parser.add_argument("picture", nargs="+")
    parser.add_argument("--format", default="avif")
    parser.add_argument("--against", default="webp")
    parser.add_argument("--quality", type=int, default=80)
    parser.add_argument("--size", default="640x480")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    size = tuple(int(side) for side in arguments.size.split("x"))
    form, against = arguments.format, arguments.against
    ratios, costs, qualities = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for name, picture in pictures(arguments.picture, size):
            encoder = Encoder(arguments.command, folder, picture)
            target, theirs = encoder.score(against, arguments.quality)
            quality, score, ours = equal(encoder, form, target, arguments.quality)
            mine, peer = encoder.costs([(form, round(quality)), (against, arguments.quality)], arguments.rounds)
            ratios.append(ours / theirs)
            costs.append((mine, peer))
            qualities.append(quality)
            print(f"{name:24} {against} {arguments.quality}: {target:5.2f} in {theirs:6} bytes; {form} {quality:5.1f}: {score:5.2f} "
                  f"in {ours:7.0f} bytes; bytes {ours / theirs:.3f}, CPU {mine / peer:.2f} ({mine:.0f} ms against {peer:.0f})", flush=True)
    cpu = sum(mine for mine, _ in costs) / sum(peer for _, peer in costs)
    print(f"{len(ratios)} pictures: quality {statistics.mean(qualities):.1f}, bytes {statistics.mean(ratios):.3f} in the mean, "
          f"{min(ratios):.3f} to {max(ratios):.3f}; CPU {cpu:.2f} of the sums, "
          f"{statistics.median(mine / peer for mine, peer in costs):.2f} in the median")


main()
