"""Targets of quality: how near scores are to what was asked for, and the processor time of the search.

CALOTYPE is the command. A picture counts as met if no quality of the range, 30 to 95, is nearer than the end of the range that was
delivered; palettes have no range, but 2 to 256 colours. Time is that of 640×480 pixels, of the process less that of the same command
with a BMP as the result.
"""
import json, os, subprocess, tempfile
from PIL import Image
from pictures import held_out, pictures
from measures import command

CALOTYPE = os.environ.get("CALOTYPE", "calotype")
# Name: suffix, options, targets, and the options of the lowest and of the highest setting.
ENCODERS = {
    "JPEG": (".jpg", [], (70, 80), (["--quality", "30"], ["--quality", "95"])),
    "WebP": (".webp", [], (70, 80), (["--quality", "30"], ["--quality", "95"])),
    "AVIF": (".avif", [], (70, 80), (["--quality", "30"], ["--quality", "95"])),
    "PNG with a palette": (".png", ["--colors", "256"], (70, 80, 90), (["--colors", "2"], ["--colors", "256"])),
}
SIZE = (640, 480)


def score(source, file):
    report = subprocess.run([CALOTYPE, "compare", source, file, "--json"], check=True, capture_output=True).stdout
    return json.loads(report)["ssimulacra2"]


def distance(source, out, wanted, options, ends):
    """Returns the difference from the wanted score; 0 at the end of the range."""
    command(CALOTYPE, "convert", source, out, "--quality", f"ssim2:{wanted}", *options)
    found = score(source, out)
    if abs(found - wanted) <= 1: return abs(found - wanted)
    command(CALOTYPE, "convert", source, out, *ends[0 if found > wanted else 1])
    limit = score(source, out)
    return 0 if (limit - wanted) * (found - wanted) >= 0 and abs(limit - found) < 1 else abs(found - wanted)


def main(prints):
    print("| | target | pictures | within 1 | within 2 | held out, 1 / 2 | ms at 640×480, mean / most |\n" + "|---" * 7 + "|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        source, small, idle = (os.path.join(folder, name) for name in ("a.png", "small.png", "idle.bmp"))
        for name, (suffix, options, targets, ends) in ENCODERS.items():
            out = os.path.join(folder, "out" + suffix)
            for wanted in targets:
                found, held, times = [], [], []
                for kind, picture_name, picture in pictures(mode=None):
                    if suffix == ".jpg" and picture.mode == "RGBA": continue
                    picture.save(source)
                    difference = distance(source, out, wanted, options, ends)
                    found.append(difference)
                    if held_out(kind, picture_name): held.append(difference)
                    if kind == "photo" and len(times) < 10:
                        scale = max(SIZE[0] / picture.width, SIZE[1] / picture.height)
                        box = (0, 0, SIZE[0] / scale, SIZE[1] / scale)
                        picture.convert("RGB").resize(SIZE, Image.LANCZOS, box).save(small)
                        words = ["--quality", f"ssim2:{wanted}", *options]
                        start = min(command(CALOTYPE, "convert", small, idle) for _ in range(3))
                        times.append(min(command(CALOTYPE, "convert", small, out, *words) for _ in range(3)) - start)
                    if prints and difference > 1: print(f"{name} {wanted}: {kind}/{picture_name} is {difference:.1f} off", flush=True)
                share = lambda values, most: f"{100 * sum(value <= most for value in values) / len(values):.0f} %"
                print(f"| {name} | {wanted} | {len(found)} | {share(found, 1)} | {share(found, 2)} | {share(held, 1)} / {share(held, 2)} | "
                      f"{sum(times) / len(times):.0f} / {max(times):.0f} |", flush=True)
