#!/usr/bin/env python3
"""Makes the pictures of the comparison: photographs, graphics, and drawings made for it, as PNG in FOLDER (.pictures).

usage: pictures.py [--gb82 FOLDER] [FOLDER]

Sources and licences are in `SOURCES`; nothing of them is kept in the repository. Debian's packages come by `apt-get download`,
those of PyPI from the installed packages, and gb82-image-set from a clone in --gb82, or from GitHub. Photographs are shrunk by
Lanczos to the sizes of the table, so that traces of their JPEGs disappear. A third of the pictures is not used for fitting: those
of `held_out`.
"""
import argparse, importlib.util, io, os, subprocess, sys, tempfile
from PIL import Image, ImageDraw

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.environ.get("CALOTYPE_PICTURES", os.path.join(HERE, ".pictures"))
KINDS = ("photo", "graphic", "made")

# Source: (kind of source, licence, {name in the source: (kind, name here, longest side; None as it is)}).
SOURCES = {
    "gb82-image-set": ("git", "CC0", {
        **{f"png/{name}-lossless.png": ("photo", name, None) for name in (
            "baby bulb city dog flowers girl grass guitar haze house mc1 mc2 mies night nyc path pixel prudential rain reflect sand "
            "sumac sunset waves").split()},
        **{f"sc-png/{name}.png": ("graphic", name, 1280) for name in (
            "codec_wiki gmessages graph gui imac_dark imac_g3 imessage terminal windows windows95").split()},
    }),
    "lomiri-wallpapers-16.04": ("deb", "CC BY 4.0, CC BY-SA 4.0, CC0", {
        "Bridge_by_Sander_Klootwijk.jpg": ("photo", "bridge", 800),
        "Dragonfly_by_Bolly.jpg": ("photo", "dragonfly", 1024),
        "Picture_0B_by_freespace.jpg": ("photo", "fig", 640),
        "Picture_1A_by_freespace.jpg": ("photo", "brushes", 640),
        "aitzgorri_by_Aitzol_Berasategi.jpg": ("photo", "meadow", 800),
        "free_by_Peter_Nerlich.jpg": ("photo", "bird", 640),
        "friends_by_Aitzol_Berasategi.jpg": ("photo", "dogs", 800),
        "greentock_by_Peter_Nerlich.jpg": ("photo", "clock", 640),
        "life_by_Aitzol_Berasategi.jpg": ("photo", "stream", 1024),
        "picosdeeuropa_by_Aitzol_Berasategi.jpg": ("photo", "mountains", 1024),
        "seeding_by_Clements_Engelhardt.jpg": ("photo", "dandelion", 1280),
        "sunset_by_Aitzol_Berasategi.jpg": ("photo", "evening", 1024),
        "Wine_by_Jakkub_Mede.jpg": ("photo", "wine", 800),
    }),
    "lomiri-wallpapers-20.04": ("deb", "CC BY 4.0, CC BY-SA 4.0, CC0", {
        "Kleiber_by_Lukas_Baubkus.jpg": ("photo", "nuthatch", 1600),
    }),
    "mate-backgrounds": ("deb", "GPL 2 or later", {
        f"mate/nature/{name}.jpg": ("photo", name.lower(), side) for name, side in [
            ("Aqua", 800), ("Blinds", 640), ("Dune", 800), ("FreshFlower", 640), ("Garden", 1024), ("LadyBird", 800),
            ("RainDrops", 800), ("Storm", 640), ("TwoWings", 800), ("YellowFlower", 1024)]
    }),
    "ukui-wallpapers": ("deb", "CC BY-SA 3.0", {
        "string.jpg": ("graphic", "ribbons", 800), "firstgeneration.jpg": ("graphic", "mascot", 800),
        "city.png": ("graphic", "flat-city", 1024), "desert.png": ("graphic", "flat-desert", 1024),
    }),
    "skimage": ("pypi", "public domain, CC0", {
        "data/astronaut.png": ("photo", "astronaut", None), "data/chelsea.png": ("photo", "cat", None),
        "data/coffee.png": ("photo", "coffee", None), "data/motorcycle_left.png": ("photo", "motorcycle", None),
        "data/page.png": ("graphic", "page", None),
    }),
    "sklearn": ("pypi", "CC BY 2.0, CC BY 3.0", {
        "datasets/images/china.jpg": ("photo", "china", 512), "datasets/images/flower.jpg": ("photo", "dahlia", 512),
    }),
}


def held_out(kind, name):
    """Returns whether a picture is not used for fitting: every third in the order of the names."""
    return sorted(names(kind)).index(name) % 3 == 2


def names(kind):
    """Returns the names of all pictures of a kind."""
    if kind == "made": return list(MADE)
    return [name for _, _, files in SOURCES.values() for k, name, _ in files.values() if k == kind]


def path(kind, name): return os.path.join(FOLDER, kind, name + ".png")


def pictures(*kinds, mode="RGB"):
    """Yields kind, name and picture."""
    for kind in kinds or KINDS:
        for name in sorted(names(kind)):
            with Image.open(path(kind, name)) as picture: yield kind, name, picture.convert(mode) if mode else picture.copy()


# Drawings of traits that encoders may use: each of a function of a folder with photographs.
def logo(_):
    large = Image.new("RGBA", (2400, 1600), (0, 0, 0, 0))
    draw = ImageDraw.Draw(large)
    draw.ellipse((200, 200, 1400, 1400), fill=(230, 80, 20, 255))
    draw.ellipse((500, 500, 1100, 1100), fill=(0, 0, 0, 0))
    draw.polygon([(1300, 1500), (1800, 100), (2300, 1500)], fill=(20, 90, 200, 190))
    draw.rectangle((1500, 1000, 2100, 1120), fill=(255, 255, 255, 255))
    return large.resize((600, 400), Image.LANCZOS)


def masked(photo):
    picture = photo("brushes").convert("RGBA").resize((480, 360), Image.LANCZOS)
    mask = Image.radial_gradient("L").resize(picture.size).point(lambda v: max(0, min(255, 2 * (190 - v))))
    picture.putalpha(mask)
    return picture


MADE = {
    "logo-alpha": logo,
    "photo-alpha": masked,
    "grey-as-rgb": lambda photo: photo("city").convert("L").convert("RGB"),
    "black-white": lambda photo: photo("page", "graphic").convert("L").point(lambda v: 255 if v > 128 else 0).convert("RGB"),
    "sixteen": lambda photo: photo("brushes").quantize(16, dither=Image.Dither.NONE).convert("RGB"),
}


def fetch(kind, package, folder, gb82):
    """Returns the folder with the pictures of a source."""
    if kind == "pypi":
        found = importlib.util.find_spec(package)
        if not found: sys.exit(f"pip install {'scikit-image' if package == 'skimage' else 'scikit-learn'}")
        return os.path.dirname(found.origin)
    if kind == "git":
        if gb82: return gb82
        subprocess.run(["git", "clone", "-q", "--depth=1", f"https://github.com/gianni-rosato/{package}", folder], check=True)
        return folder
    subprocess.run(["apt-get", "-qq", "download", package], cwd=folder, check=True, stderr=subprocess.DEVNULL)
    for file in os.listdir(folder): subprocess.run(["dpkg", "-x", file, "."], cwd=folder, check=True)
    return os.path.join(folder, "usr/share/backgrounds")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--gb82")
    parser.add_argument("folder", nargs="?", default=FOLDER)
    arguments = parser.parse_args()
    globals()["FOLDER"] = arguments.folder
    for kind in KINDS: os.makedirs(os.path.join(arguments.folder, kind), exist_ok=True)
    for source, (how, licence, files) in SOURCES.items():
        if all(os.path.exists(path(kind, name)) for kind, name, _ in files.values()): continue
        with tempfile.TemporaryDirectory() as folder:
            found = fetch(how, source, folder, arguments.gb82)
            for file, (kind, name, side) in files.items():
                with Image.open(os.path.join(found, file)) as picture: made = picture.convert("RGB")
                if side and max(made.size) > side:
                    scale = side / max(made.size)
                    made = made.resize((round(made.width * scale), round(made.height * scale)), Image.LANCZOS)
                made.save(path(kind, name))
            print(f"{source} ({licence}): {len(files)}", flush=True)
    for name, make in MADE.items():
        make(lambda each, kind="photo": Image.open(path(kind, each))).save(path("made", name))


if __name__ == "__main__": main()
