"""Curves of bytes over a measure, and tables of their ratios."""
import json, math, os, sys
import numpy as np
import pictures
from measures import HERE, Reference, decoded, timed

RESULTS = os.environ.get("CALOTYPE_RESULTS", os.path.join(HERE, ".results"))


def measure(section, encoders, kinds, rounds=1):
    """Encodes each picture with all encoders at all their qualities; returns {picture: {encoder: [(quality, bytes, score, ms)]}}.

    `encoders` is {name: (qualities, function of an array and a quality)}. What was measured before is kept in RESULTS."""
    os.makedirs(RESULTS, exist_ok=True)
    path = os.path.join(RESULTS, section + ".json")
    results = json.load(open(path)) if os.path.exists(path) else {}
    for kind, name, picture in pictures.pictures(*kinds):
        key, reference = f"{kind}/{name}", None
        known = results.setdefault(key, {"megapixels": picture.width * picture.height / 1e6})
        for encoder, (qualities, encode) in encoders.items():
            if encoder in known: continue
            array = np.ascontiguousarray(np.asarray(picture))
            reference = reference or Reference(array)
            points = []
            for quality in qualities:
                data, milliseconds = timed(encode, array, quality, rounds=rounds)
                points.append((quality, len(data), reference.score(decoded(data)), milliseconds))
            known[encoder] = points
            with open(path, "w") as file: json.dump(results, file)
        print(key, file=sys.stderr, flush=True)
    return results


def at(points, score):
    """Returns the logarithm of the bytes at a score; None outside of the curve."""
    ordered = sorted((point[2], point[1]) for point in points)
    scores, logs = [p[0] for p in ordered], [math.log(p[1]) for p in ordered]
    if not scores[0] <= score <= scores[-1]: return None
    return float(np.interp(score, scores, logs))


def ratios(results, encoder, base, score, kind=None, held_out=None):
    """Returns {picture: ratio of the bytes at a score}."""
    found = {}
    for key, known in results.items():
        each, name = key.split("/", 1)
        if kind and each != kind or held_out is not None and pictures.held_out(each, name) != held_out: continue
        if encoder not in known or base not in known: continue
        a, b = at(known[encoder], score), at(known[base], score)
        if a is not None and b is not None: found[name] = math.exp(a - b)
    return found


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def table(results, base, scores=(50, 60, 70, 80, 90), kind=None, held_out=None):
    """Prints the geometric means of the ratios, with the number of pictures where it is not that of all, and the processor time."""
    encoders = []
    for known in results.values(): encoders += [name for name in known if name != "megapixels" and name not in encoders]
    count = sum(1 for key in results if (not kind or key.startswith(kind + "/"))
                and (held_out is None or pictures.held_out(*key.split("/", 1)) == held_out))
    print(f"| bytes, {count} pictures | " + " | ".join(map(str, scores)) + " | ms/MP | largest at 70 |\n" + "|---" * (len(scores) + 3) + "|")
    for encoder in encoders:
        cells = []
        for score in scores:
            found = ratios(results, encoder, base, score, kind, held_out)
            cells.append(f"{mean(found.values()):.3f}" + (f" ({len(found)})" if len(found) < count else ""))
        worst = ratios(results, encoder, base, 70, kind, held_out)
        costs = [point[3] / known["megapixels"] for key, known in results.items() if not kind or key.startswith(kind + "/")
                 for point in known.get(encoder, []) if 60 < point[2] < 88]
        name = max(worst, key=worst.get) if worst else "–"
        print(f"| {encoder} | " + " | ".join(cells) + f" | {np.median(costs):.0f} | {worst.get(name, float('nan')):.3f} {name} |")
