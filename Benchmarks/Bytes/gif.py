"""Animated GIF: bytes beside gifsicle -O3. CALOTYPE is the command, ANIMATIONS a list of files separated by colons."""
import os, subprocess, tempfile
import numpy as np
from PIL import Image
from measures import command

CALOTYPE = os.environ.get("CALOTYPE", "calotype")
HERE = os.path.dirname(os.path.abspath(__file__))


def frames(path):
    picture, found = Image.open(path), []
    for index in range(picture.n_frames):
        picture.seek(index)
        pixels = np.asarray(picture.convert("RGBA")).copy()
        pixels[pixels[..., 3] == 0] = 0
        found.append(pixels)
    return found


def main(prints):
    animations = os.environ.get("ANIMATIONS", os.path.join(HERE, "../../Examples/Photos/pan.gif")).split(":")
    print("| | ours | gifsicle -O3 of ours | ratio | same frames |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for path in animations:
            webp, ours, theirs = (os.path.join(folder, name) for name in ("a.webp", "b.gif", "c.gif"))
            # By way of another format, so that nothing is copied.
            command(CALOTYPE, "convert", "--lossless", path, webp)
            command(CALOTYPE, "convert", webp, ours)
            subprocess.run(["gifsicle", "-O3", ours, "-o", theirs], check=True, stderr=subprocess.DEVNULL)
            same = all((a == b).all() for a, b in zip(frames(ours), frames(theirs)))
            a, b = os.path.getsize(ours), os.path.getsize(theirs)
            print(f"| {os.path.basename(path)} | {a:,} | {b:,} | {a / b:.3f} | {'yes' if same else 'no'} |", flush=True)
