#!/usr/bin/env python3
"""Fits the quantisation tables of JPEG, and the scale that gives qualities their meaning; writes Sources/CJPEG/cjpeg_shapes.h.

usage: jpeg_tables.py [--minutes N] [--from jpeg_shapes.json] [--pictures N] [--calibrate]

The steps of a table are d·a + d^h·b·r^p for the distance r of a coefficient from DC, (u^n + v^n)^(1/n), and DC has its own; luma, Cb
and Cr have their own a, b, p. At the bytes of files with the tables of the standard, at three qualities, the pictures are compared by
SSIMULACRA2, SSIM of luma and PSNR; differences count in the bytes that they are worth there. The bytes at equal SSIMULACRA2 are
minimised, with a tenth of the weight for PSNR, and any loss by SSIM counts one and a half times. Butteraugli is only reported. Of the
pictures of `Benchmarks/Bytes`, those that are held out are not used; graphics count a quarter, at 4:4:4.

--calibrate leaves the shapes, and finds the scale for each quality that has the mean score of the same quality with the tables of
the standard, for rounded coefficients and for trimmed ones. Needs Pillow and numpy; the shapes are in jpeg_shapes.json beside this file.
"""
import argparse, io, json, os, shutil, sys, tempfile, time
import numpy as np
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Bytes"))
import pictures
from measures import JPEG, SOURCES, Reference, butteraugli, decoded, rgbx

HEADER = os.path.join(SOURCES, "CJPEG", "cjpeg_shapes.h")
SHAPES = os.path.join(HERE, "jpeg_shapes.json")
SIDE = 400
U, V = np.meshgrid(range(8), range(8))


def slope(shape, c):
    """Returns the part of a table that grows with the frequency."""
    n = shape["n"] if c == "y" else shape["m"]
    return shape[c + "b"] * np.maximum((U ** n + V ** n) ** (1 / n), 1).ravel() ** shape[c + "p"]


def tables(shape, scale):
    """Returns the tables of luma, Cb and Cr."""
    made = []
    for c in "ybr":
        table = scale * shape[c + "a"] + scale ** (shape["h"] if c == "y" else shape["hc"]) * slope(shape, c)
        table[0] = scale ** shape["g"] * shape[c + "0"]
        made.append(np.clip(np.round(table), 1, 255).astype(int).tolist())
    return made


def crop(picture, side):
    width, height = min(side, picture.width), min(side, picture.height)
    left, top = (picture.width - width) // 2, (picture.height - height) // 2
    return picture.crop((left, top, left + width, top + height))


class Sample:
    """A picture, and its measures with the tables of the standard."""
    QUALITIES = (40, 56, 72, 84, 92)

    def __init__(self, kind, picture):
        self.weight, self.sampling = (1, 2) if kind == "photo" else (0.25, 0)
        self.picture = crop(picture, SIDE)
        self.reference = Reference(np.asarray(self.picture))
        self.base = np.array([self.measured(self.file(quality=quality)) for quality in self.QUALITIES])
        self.scales = [2.8, 1.9, 1.1]

    def file(self, **settings):
        out = io.BytesIO()
        self.picture.save(out, "JPEG", subsampling=self.sampling, optimize=True, **settings)
        return out.getvalue()

    def measured(self, data):
        pixels = decoded(data)
        values = [np.log(len(data)), self.reference.score(pixels), -np.log(1 - self.reference.ssim(pixels)), self.reference.psnr(pixels)]
        return values + ([-np.log(butteraugli(self.reference.rgb, pixels))] if self.WITH_BUTTERAUGLI else [])
    WITH_BUTTERAUGLI = False

    def gains(self, shape):
        """Returns the logarithms of bytes that are lost at three qualities, by each measure."""
        lost = []
        for i in (1, 2, 3):
            scale = self.scales[i - 1]
            for _ in range(4):
                data = self.file(qtables=tables(shape, scale))
                excess = np.log(len(data)) - self.base[i, 0]
                if abs(excess) < 0.004: break
                tried, scale = scale, min(40, max(0.05, scale * np.exp(excess / 0.8)))
            else: scale = tried
            self.scales[i - 1] = scale
            found = np.array(self.measured(data))
            worth = (self.base[i + 1, 1:] - self.base[i - 1, 1:]) / (self.base[i + 1, 0] - self.base[i - 1, 0])
            lost.append((self.base[i, 1:] - found[1:]) / worth + (found[0] - self.base[i, 0]))
        return np.array(lost)


def means(samples, shape):
    weights = np.array([sample.weight for sample in samples])
    return np.tensordot(weights / weights.sum(), np.array([sample.gains(shape) for sample in samples]), 1)


def samples(held_out, limit=None, kinds=("photo", "graphic")):
    found = [(kind, picture.copy()) for kind, name, picture in pictures.pictures(*kinds) if pictures.held_out(kind, name) == held_out]
    step = max(1, len(found) // limit) if limit else 1
    return [Sample(kind, picture) for kind, picture in found[::step]]


def fit(shape, minutes, limit):
    """Improves a shape by random steps that grow with success (an evolution strategy of one parent and one child)."""
    chosen = samples(False, limit)
    def cost(shape):
        lost = means(chosen, shape).mean(0)
        return 0.9 * lost[0] + 0.1 * lost[2] + 1.5 * max(0, lost[1]), lost
    best, lost = cost(shape)
    print(f"{len(chosen)} pictures: {best:.4f}", np.exp(lost).round(4), flush=True)
    random, size, end, step = np.random.default_rng(1), 0.06, time.time() + 60 * minutes, None
    while time.time() < end:
        tried = random.normal(size=len(shape)) * (random.random(len(shape)) < 0.5)
        if step is not None and random.random() < 0.3: tried = step * random.uniform(0.5, 1.5)
        child = {name: value * float(np.exp(size * each * (0.4 if name in ("g", "h", "hc") else 1)))
                 for (name, value), each in zip(shape.items(), tried)}
        new, found = cost(child)
        if new < best - 1e-5:
            shape, best, step, size = child, new, tried, min(0.15, size * 1.5)
            print(f"{best:.4f}", np.exp(found).round(4), {name: round(value, 3) for name, value in shape.items()}, flush=True)
        else: step, size = None, max(0.012, size * 0.92)
    return shape


def header(shape, rounded, trimmed):
    text = f"""// Made by Benchmarks/Fit/jpeg_tables.py.

// The steps of a table at scale s: s · flat + s^slope_power · slope, and for DC s^dc_power · dc.
typedef struct {{
  double flat, slope_power, dc;
  float slope[DCTSIZE2];
}} shape;

static const double dc_power = {shape['g']:.4f};

static const shape shapes[3] = {{
"""
    for c in "ybr":
        steps = slope(shape, c)
        text += f"  {{{shape[c + 'a']:.4f}, {shape['h' if c == 'y' else 'hc']:.4f}, {shape[c + '0']:.4f}, {{\n"
        for row in range(8): text += "    " + ", ".join(f"{value:.4f}f" for value in steps[8 * row:8 * row + 8]) + ",\n"
        text += "  }},\n"
    text += f"""}};

// Scales for qualities, interpolated in between.
typedef struct {{
  int quality;
  double log_scale;
}} shape_knot;

enum {{ KNOTS = {len(rounded)} }};
"""
    for name, knots in (("rounded", rounded), ("trimmed", trimmed)):
        text += f"\nstatic const shape_knot {name}_knots[KNOTS] = {{\n  " + ", ".join(f"{{{q}, {d:.4f}}}" for q, d in knots) + ",\n};\n"
    return text


def calibrate(shape):
    """Returns the logarithms of scales for qualities, for rounded and for trimmed coefficients."""
    high, low = 6.0, -3.0
    # Without 60, where rounding of the standard's tables costs a point.
    qualities = [1, 5, 10, 20, 30, 40, 50, 70, 75, 80, 85, 90, 93, 95, 97, 98, 99, 100]
    grid = list(range(4, 32, 4)) + list(range(32, 98, 3))
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(os.path.join(SOURCES, "CJPEG"), os.path.join(folder, "CJPEG"))
        # The scale is linear in the quality there.
        line = [(1, high), (100, low)]
        with open(os.path.join(copy, "cjpeg_shapes.h"), "w") as file: file.write(header(shape, line, line))
        os.environ["CALOTYPE_LIBRARIES"] = folder
        import measures
        measures.FOLDER = folder
        linear = JPEG(copy)
    wanted, rounded, trimmed = [], [], []
    for kind, name, picture in pictures.pictures("photo"):
        if pictures.held_out(kind, name): continue
        array = np.ascontiguousarray(np.asarray(crop(picture, 512)))
        reference, four = Reference(array), rgbx(array)
        def score(quality, **settings): return reference.score(decoded(linear.encode(four, quality, optimized=0, **settings)))
        wanted.append([score(quality, standard=1) for quality in qualities])
        rounded.append([score(quality) for quality in grid])
        trimmed.append([score(quality, trims=1) for quality in grid])
    scales = np.array([high + (quality - 1) / 99 * (low - high) for quality in grid])
    knots = []
    for scores in (np.mean(rounded, 0), np.mean(trimmed, 0)):
        order = np.argsort(scores)
        found = [float(np.interp(score, scores[order], scales[order])) for score in np.mean(wanted, 0)]
        for i in range(1, len(found)): found[i] = min(found[i], found[i - 1] - 0.002)
        knots.append(list(zip(qualities, found)))
    return knots


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--from", dest="start", default=SHAPES)
    parser.add_argument("--pictures", type=int)
    parser.add_argument("--calibrate", action="store_true")
    arguments = parser.parse_args()
    shape = json.load(open(arguments.start))
    if not arguments.calibrate:
        shape = fit(shape, arguments.minutes, arguments.pictures)
        json.dump({name: round(value, 4) for name, value in shape.items()}, open(SHAPES, "w"), indent=1)
    Sample.WITH_BUTTERAUGLI = butteraugli is not None
    for kind in ("photo", "graphic"):
        print(f"held out, {kind}: bytes by SSIMULACRA2, SSIM, PSNR and butteraugli", np.exp(means(samples(True, kinds=(kind,)), shape)).round(3).tolist())
    with open(HEADER, "w") as file: file.write(header(shape, *calibrate(shape)))


main()
