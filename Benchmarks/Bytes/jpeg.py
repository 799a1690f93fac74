"""JPEG at equal SSIMULACRA2: the library beside libjpeg-turbo, mozjpeg (in libvips) and jpegli."""
import ctypes as C, os
import numpy as np
from measures import JPEG, Reference, butteraugli, decoded, rgbx
import curves, pictures

own = JPEG()
Q = [14, 28, 42, 56, 68, 77, 84, 89, 93, 96]
D = [0.6, 0.85, 1.2, 1.7, 2.4, 3.3, 4.6, 6.5, 10]
BASE = "libjpeg-turbo, as by default"


def ours(**settings): return Q, lambda array, quality: own.encode(rgbx(array), quality, **settings)


def vips(**settings):
    import pyvips
    def encode(array, quality):
        picture = pyvips.Image.new_from_memory(array.data, array.shape[1], array.shape[0], 3, "uchar").copy(interpretation="srgb")
        return picture.jpegsave_buffer(Q=int(quality), keep="none", subsample_mode="on", **settings)
    return Q, encode


def jpegli():
    """A library with `jl_encode(rgb, width, height, distance, sampling, progressive, aq, standard, out, capacity)`, in JPEGLI."""
    library = C.CDLL(os.environ["JPEGLI"])
    library.jl_encode.restype = C.c_size_t
    library.jl_encode.argtypes = [C.c_void_p, C.c_int, C.c_int, C.c_float, C.c_int, C.c_int, C.c_int, C.c_int, C.c_void_p, C.c_size_t]
    out = np.empty(32 << 20, np.uint8)
    def encode(array, distance):
        count = library.jl_encode(array.ctypes.data, array.shape[1], array.shape[0], distance, 2, 2, 1, 0, out.ctypes.data, out.size)
        return out[:count].tobytes()
    return D, encode


def encoders():
    all_mozjpeg = dict(trellis_quant=True, overshoot_deringing=True, optimize_scans=True, interlace=True, optimize_coding=True)
    found = {
        BASE: ours(optimized=0, standard=1),
        "before: balanced": ours(standard=1), "before: small": ours(standard=1, progressive=1),
        "fast": ours(optimized=0), "balanced": ours(), "balanced, progressive": ours(progressive=1), "small": ours(trims=1),
    }
    try:
        found["mozjpeg, all"] = vips(**all_mozjpeg)
        found["mozjpeg, all, table 3"] = vips(quant_table=3, **all_mozjpeg)
    except ImportError: print("no pyvips: mozjpeg is left out")
    if "JPEGLI" in os.environ: found["jpegli, 4:2:0"] = jpegli()
    else: print("no JPEGLI: jpegli is left out")
    return found


def other_measures(encoders, names, quality=75):
    """Prints the means of other measures at the bytes of `before: balanced` at a quality, between two qualities of each encoder."""
    rows = {}
    for kind, name, picture in pictures.pictures("photo"):
        if name not in names: continue
        array = np.ascontiguousarray(np.asarray(picture))
        reference, count = Reference(array), len(own.encode(rgbx(array), quality, standard=1))
        def measured(data):
            pixels = decoded(data)
            return [reference.score(pixels), butteraugli(array, pixels) if butteraugli else float("nan"), 1000 * (1 - reference.ssim(pixels)), reference.psnr(pixels)]
        for encoder, (qualities, encode) in encoders.items():
            files = sorted((len(file), i) for i, file in enumerate([encode(array, q) for q in qualities]))
            below, above = [f for f in files if f[0] <= count], [f for f in files if f[0] > count]
            if not below or not above: continue
            share = (np.log(count) - np.log(below[-1][0])) / (np.log(above[0][0]) - np.log(below[-1][0]))
            low, high = (measured(encode(array, qualities[i])) for _, i in (below[-1], above[0]))
            rows.setdefault(encoder, []).append([(1 - share) * a + share * b for a, b in zip(low, high)])
    print(f"\n| at the bytes of before: balanced, quality {quality} | SSIMULACRA2 ↑ | butteraugli ↓ | 1000 (1 − SSIM) ↓ | PSNR ↑ |\n|---|---|---|---|---|")
    for encoder, values in rows.items():
        print(f"| {encoder} ({len(values)}) | " + " | ".join(f"{value:.2f}" for value in np.mean(values, 0)) + " |")


def main(all_pictures):
    found = encoders()
    results = curves.measure("jpeg", found, ["photo", "graphic"])
    for title, options in [("Photographs", dict(kind="photo")), ("Photographs that were not used for fitting", dict(kind="photo", held_out=True)),
                           ("Graphics", dict(kind="graphic"))]:
        print(f"\n{title}:\n")
        curves.table(results, BASE, **options)
    for score in (70, 80):
        for encoder in ("balanced", "small"):
            for peer in ("mozjpeg, all, table 3", "jpegli, 4:2:0", "before: balanced"):
                values = curves.ratios(results, encoder, peer, score, "photo", True)
                if values: print(f"{encoder} / {peer} at {score}: {curves.mean(values.values()):.3f}, at most {max(values.values()):.3f} ({len(values)} held out)")
    held = [name for name in pictures.names("photo") if pictures.held_out("photo", name)]
    other_measures({name: found[name] for name in found if name != "fast"}, held)
