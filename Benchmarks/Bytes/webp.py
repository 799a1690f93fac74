"""WebP: bytes at equal SSIMULACRA2 and processor time of the efforts' methods, by the installed libwebp that the library calls.

`fast` is method 2, `balanced` 4, `small` 6; 0 is what `fast` was.
"""
import io, math
import numpy as np
from PIL import features
from pictures import pictures
from measures import Reference, decoded, timed

METHODS = {"0": 0, "fast": 2, "balanced": 4, "small": 6}


def bytes_at(score, points):
    """Interpolates the logarithm of the bytes; None outside of the scores."""
    points = sorted(points)
    for (a, x), (b, y) in zip(points, points[1:]):
        if a <= score <= b: return math.exp(math.log(x) + (math.log(y) - math.log(x)) * (score - a) / max(b - a, 1e-9))
    return None


def main(prints):
    print(f"libwebp {features.version('webp')} of Pillow\n\n| | 60 | 70 | 80 | ms a megapixel |\n|---|---|---|---|---|")
    curves, times, pixels = {name: [] for name in METHODS}, dict.fromkeys(METHODS, 0.0), 0
    for _, _, picture in pictures("photo"):
        if picture.width * picture.height > 500_000: continue
        reference = Reference(np.asarray(picture))
        pixels += picture.width * picture.height
        for name, method in METHODS.items():
            points = []
            for quality in (40, 60, 72, 82, 90, 96):
                def encode():
                    out = io.BytesIO()
                    picture.save(out, "WEBP", quality=quality, method=method)
                    return out.getvalue()
                data, ms = timed(encode)
                if quality == 82: times[name] += ms
                points.append((reference.score(decoded(data)), len(data)))
            curves[name].append(points)
    for name in METHODS:
        cells = []
        for score in (60, 70, 80):
            pairs = [(bytes_at(score, mine), bytes_at(score, other)) for mine, other in zip(curves[name], curves["balanced"])]
            ratios = [math.log(a / b) for a, b in pairs if a and b]
            cells.append(f"{math.exp(sum(ratios) / len(ratios)):.3f} ({len(ratios)})" if ratios else "–")
        print(f"| {name} | {' | '.join(cells)} | {times[name] / pixels * 1e6:.0f} |")
