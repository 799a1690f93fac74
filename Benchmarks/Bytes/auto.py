"""`--format auto` beside the best single choice for each picture, at one score: JPEG, WebP, lossless WebP and PNG.

CALOTYPE is the command. Lossless choices count for pictures whose lossy ones are larger.
"""
import glob, os, tempfile
from pictures import pictures
from measures import command

CALOTYPE = os.environ.get("CALOTYPE", "calotype")
CHOICES = {"jpeg": [".jpg", "--quality", "ssim2:75"], "webp": [".webp", "--quality", "ssim2:75"], "webp lossless": [".webp", "--lossless"], "png": [".png"]}


def main(prints):
    total, best_total, worst, rows = 0, 0, (0, ""), []
    with tempfile.TemporaryDirectory() as folder:
        for kind, name, picture in pictures("photo", "graphic", "made", mode=None):
            source, auto = os.path.join(folder, "a.png"), os.path.join(folder, "auto")
            picture.save(source)
            sizes = {}
            for choice, (suffix, *words) in CHOICES.items():
                if choice == "jpeg" and picture.mode == "RGBA": continue
                out = os.path.join(folder, "one" + suffix)
                command(CALOTYPE, "convert", source, out, *words)
                sizes[choice] = os.path.getsize(out)
            command(CALOTYPE, "convert", source, auto, "--format", "auto", "--quality", "ssim2:75")
            # The command appends the suffix of the format.
            [result] = glob.glob(auto + ".*")
            size, best = os.path.getsize(result), min(sizes, key=sizes.get)
            os.remove(result)
            total, best_total = total + size, best_total + sizes[best]
            worst = max(worst, (size / sizes[best], f"{kind}/{name}"))
            if prints: print(f"{kind}/{name}: auto {size:,}, best {best} {sizes[best]:,}, {size / sizes[best]:.3f}", flush=True)
    print(f"\ntotal {total / best_total:.3f} of the best choices, most {worst[0]:.3f} for {worst[1]}")
