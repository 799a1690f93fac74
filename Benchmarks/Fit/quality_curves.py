#!/usr/bin/env python3
"""Fits the curves by which targets of quality are searched; writes Sources/CalotypeImaging/Quality/QualityCurves+Fitted.swift.

usage: quality_curves.py [--from FILE] [COMMAND]

Each picture of `Benchmarks/Bytes` is encoded by the command as JPEG, WebP and AVIF at fourteen qualities, and mapped to palettes of
fifteen sizes, with and without spread errors, by the functions of `CPixels`; SSIMULACRA2 and the structural dissimilarity are measured.
What was measured is kept in the file of --from (Bytes/.results/quality_curves.json), and not measured again; without a command, the
curves are fitted to what is there. Of the curves of each format, the mean and the first two principal components are written, in
lengths of one standard deviation; curves of palettes are fitted together with the logarithm of the number of frequent colours. Pictures
that are held out, every third, are not used. Below quality 20, where scores fall far below anything in use, components are those that
follow from the rest of the curve. Needs numpy and Pillow.
"""
import argparse, ctypes as C, json, os, subprocess, sys, tempfile
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Bytes"))
import pictures
from measures import SOURCES, Reference, pixels

OUT = os.path.join(SOURCES, "CalotypeImaging", "Quality", "QualityCurves+Fitted.swift")
# The scale of libwebp has a bend at 75.
QUALITIES = [0, 10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 100]
COLORS = [2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 90, 128, 181, 256]
MEASURES = ("ssimulacra2", "dssim")
# The standard deviations of values from their curve, in a search: about those of what was fitted; less for palettes, where three
# encodes ended nearer to the target so.
DEVIATIONS = {("quality", 0): 0.8, ("quality", 1): 0.08, ("palette", 0): 1, ("palette", 1): 0.05}
# A unit of detail counts as much as this difference at one number of colours.
WEIGHTS = (20, 0.8)
# Values beyond these are alike for a search.
LEAST, MOST = (-60, 0), (110, 9)


def encodes(command, name, source, folder):
    """Returns the curves of the lossy formats: at each quality, the score and the negative logarithm of the dissimilarity."""
    curves = {}
    for form in ("jpeg", "webp", "avif"):
        curves[form] = []
        for quality in QUALITIES:
            file = os.path.join(folder, "a." + form)
            subprocess.run([command, "convert", source, file, "--quality", str(quality)], check=True, stdout=subprocess.DEVNULL)
            report = json.loads(subprocess.run([command, "compare", source, file, "--json"], check=True, capture_output=True).stdout)
            curves[form].append((report["ssimulacra2"], -np.log(max(1e-9, report["dssim"]))))
    return curves


def mapped(array, count, dithers):
    """Returns the pixels of a picture with a palette."""
    height, width = array.shape[:2]
    row = lambda y: array.ctypes.data + y * array.strides[0] if 0 <= y < height else None
    histogram, colors = pixels.cpal_histogram_make(), (C.c_uint8 * 1024)()
    for y in range(height): pixels.cpal_histogram_add(histogram, row(y), row(y - 1), width, 0)
    clear = [0] * 4 if pixels.cpal_histogram_has_transparency(histogram) else []
    found = pixels.cpal_histogram_exact(histogram, count - len(clear) // 4, colors)
    exact = found >= 0
    if not exact: found = pixels.cpal_colors(histogram, count - len(clear) // 4, 6, colors)
    palette = np.array(clear + list(colors[:4 * found]), np.uint8).reshape(-1, 4)
    palette = palette[np.argsort(palette[:, 3] == 255, kind="stable")].copy()
    search = pixels.cpal_search_make(palette.ctypes.data, len(palette))
    mapper, indices = pixels.cpal_mapper_make(search, width, int(dithers and not exact), 0), np.zeros((height, width), np.uint8)
    for y in range(height): pixels.cpal_map_row(mapper, row(y), row(y - 1), row(y + 1), indices[y].ctypes.data)
    pixels.cpal_mapper_free(mapper); pixels.cpal_search_free(search); pixels.cpal_histogram_free(histogram)
    return palette[indices]


for name, result, arguments in [
        ("histogram_make", C.c_void_p, []), ("histogram_free", None, [C.c_void_p]), ("histogram_has_transparency", C.c_int, [C.c_void_p]),
        ("histogram_add", None, [C.c_void_p, C.c_void_p, C.c_void_p, C.c_size_t, C.c_int]),
        ("histogram_exact", C.c_int, [C.c_void_p, C.c_int, C.c_void_p]), ("colors", C.c_int, [C.c_void_p, C.c_int, C.c_int, C.c_void_p]),
        ("search_make", C.c_void_p, [C.c_void_p, C.c_int]), ("search_free", None, [C.c_void_p]),
        ("mapper_make", C.c_void_p, [C.c_void_p, C.c_size_t, C.c_int, C.c_int]), ("mapper_free", None, [C.c_void_p]),
        ("map_row", None, [C.c_void_p] * 5)]:
    function = getattr(pixels, "cpal_" + name)
    function.restype, function.argtypes = result, arguments


def detail(array):
    """Returns the logarithm of the number of frequent colours, as `Bitmap.colorDetail` does."""
    cells = array[array[..., 3] > 0][:, :3].astype(int) >> 3
    counts = np.bincount(cells @ [1024, 32, 1], minlength=1 << 15)
    return float(np.log2(max(1, (counts > counts.sum() // 4096).sum())))


def palettes(array):
    """Returns the curves of palettes; pictures with transparency are compared on white."""
    def flat(picture):
        alpha = picture[..., 3:] / 255
        return (picture[..., :3] * alpha + 255 * (1 - alpha) + 0.5).astype(np.uint8)
    reference, curves = Reference(flat(array)), {}
    for dithers in (False, True):
        points = []
        for count in COLORS:
            picture = flat(mapped(array, count, dithers))
            points.append((reference.score(picture), -np.log(max(1e-9, (1 - reference.ssim(picture)) / 2))))
        curves["dithered" if dithers else "plain"] = points
    return curves


def components(values, least):
    """Returns the mean and two principal components of rows, in standard deviations; those of the first columns follow from the rest."""
    rest = values[:, least:]
    mean = rest.mean(0)
    _, sizes, directions = np.linalg.svd(rest - mean, full_matrices=False)
    shares = (rest - mean) @ directions[:2].T / (sizes[:2] / np.sqrt(len(values)))
    rows = np.linalg.lstsq(np.c_[np.ones(len(values)), shares], values, rcond=None)[0]
    print("  residual", np.sqrt(((values - np.c_[np.ones(len(values)), shares] @ rows)[:, least:] ** 2).mean()), file=sys.stderr)
    return rows


def swift(name, rows, digits):
    lines = [f"    {label}: [{', '.join(f'{value:.{digits}f}' for value in row)}]" for label, row in zip(("mean", "first", "second"), rows)]
    return f"  private static let {name} = (\n" + ",\n".join(lines) + "\n  )\n"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("command", nargs="?")
    parser.add_argument("--from", dest="source", default=os.path.join(HERE, "..", "Bytes", ".results", "quality_curves.json"))
    arguments = parser.parse_args()
    os.makedirs(os.path.dirname(arguments.source) or ".", exist_ok=True)
    known = json.load(open(arguments.source)) if os.path.exists(arguments.source) else {}
    with tempfile.TemporaryDirectory() as folder:
        for kind, name, picture in pictures.pictures(mode="RGBA") if arguments.command else ():
            key = f"{kind}/{name}"
            if key in known: continue
            array = np.ascontiguousarray(np.asarray(picture))
            source = os.path.join(folder, "source.png")
            picture.save(source)
            known[key] = {"detail": detail(array), **encodes(arguments.command, name, source, folder), **palettes(array)}
            with open(arguments.source, "w") as file: json.dump(known, file)
            print(key, file=sys.stderr, flush=True)
    used = [key for key in sorted(known) if not pictures.held_out(*key.split("/", 1))]
    parts, cases = [], {}
    for index, measure in enumerate(MEASURES):
        label, digits = ("Score", 1) if index == 0 else ("Dissimilarity", 3)
        for form in ("jpeg", "webp", "avif"):
            values = np.array([[point[index] for point in known[key][form]] for key in used if form in known[key]])
            print(form, measure, len(values), file=sys.stderr)
            parts.append(swift(form + label, components(np.minimum(values, MOST[index]), 2), digits))
        of = [key for key in used if "plain" in known[key]]
        values = np.array([[point[index] for point in known[key]["plain"] + known[key]["dithered"]] for key in of])
        values = np.c_[np.clip(values, LEAST[index], MOST[index]), [known[key]["detail"] * WEIGHTS[index] for key in of]]
        print("palettes", measure, len(values), file=sys.stderr)
        rows = components(values, 0)
        mean = values.mean(0)
        shares = (values[:, :-1] - mean[:-1]) @ np.linalg.pinv(rows[1:, :-1])
        deviation = ((values[:, -1] - mean[-1]) - shares @ rows[1:, -1]).std() / WEIGHTS[index]
        count = len(COLORS)
        parts.append(swift("plain" + label, rows[:, :count], digits))
        parts.append(swift("dithered" + label, rows[:, count:2 * count], digits))
        row = rows[:, -1] / WEIGHTS[index]
        parts.append(f"  /// The mean and both directions of ``Bitmap/colorDetail()``, and its standard deviation from the curves.\n"
                     f"  private static let detail{label} = (\n    point: Point({row[0]:.3f}, {row[1]:.3f}, {row[2]:.3f}), deviation: {deviation:.3f}\n  )\n")
    with open(OUT, "w") as file: file.write(TEMPLATE.replace("TABLES", "\n".join(parts)))


TEMPLATE = '''// Written by Benchmarks/Fit/quality_curves.py.

extension QualityCurves {
  private static let qualities: [Double] = %s
  private static let colors: [Double] = %s

  /// Returns the curves of a format over its quality. Formats without curves of their own share those of WebP, whose scale they have.
  static func of(_ format: ImageFormat, _ measure: QualityTarget.Measure) -> QualityCurves {
    func curves(
      _ table: (mean: [Double], first: [Double], second: [Double]), _ deviation: Double
    ) -> QualityCurves {
      QualityCurves(
        knots: qualities, mean: table.mean, first: table.first, second: table.second, deviation: deviation)
    }
    return switch (measure, format) {
    case (.ssimulacra2, .jpeg): curves(jpegScore, %s)
    case (.ssimulacra2, .avif): curves(avifScore, %s)
    case (.ssimulacra2, _): curves(webpScore, %s)
    case (.dssim, .jpeg): curves(jpegDissimilarity, %s)
    case (.dssim, .avif): curves(avifDissimilarity, %s)
    case (.dssim, _): curves(webpDissimilarity, %s)
    }
  }

  /// Returns the curves over the number of colours of palettes, without and with spread errors.
  static func palettes(_ measure: QualityTarget.Measure) -> (plain: QualityCurves, dithered: QualityCurves) {
    func curves(
      _ table: (mean: [Double], first: [Double], second: [Double]), _ deviation: Double
    ) -> QualityCurves {
      QualityCurves(
        knots: colors, mean: table.mean, first: table.first, second: table.second, deviation: deviation)
    }
    return switch measure {
    case .ssimulacra2: (curves(plainScore, %s), curves(ditheredScore, %s))
    case .dssim: (curves(plainDissimilarity, %s), curves(ditheredDissimilarity, %s))
    }
  }

  /// Returns the number of frequent colours as a measurement that goes with the curves of palettes.
  static func paletteDetail(_ detail: Double, _ measure: QualityTarget.Measure) -> Measurement {
    let (point, deviation) =
      switch measure {
      case .ssimulacra2: detailScore
      case .dssim: detailDissimilarity
      }
    return Measurement(point: point, value: detail, deviation: deviation)
  }

TABLES}
''' % ((QUALITIES, COLORS) + (DEVIATIONS["quality", 0],) * 3 + (DEVIATIONS["quality", 1],) * 3
       + (DEVIATIONS["palette", 0],) * 2 + (DEVIATIONS["palette", 1],) * 2)


if __name__ == "__main__": main()
