#!/usr/bin/env python3
"""Kills `calotype optimize` at random while it works on a folder, and checks that no file is lost or damaged.

usage: kills.py CALOTYPE [--files 500] [--kills 100] [--seconds 1.5]

The files are copies of the test pictures and of generated ones. After each kill every file has to be one of its two versions: as
it was, or smaller with the same pixels, which `calotype info --hash` tells. In the end the command runs to its end, and leaves no
temporary file.
"""
import argparse, glob, hashlib, json, os, random, shutil, signal, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
PHOTOS = os.path.join(HERE, "..", "..", "Examples", "Photos")


def digest(path):
    with open(path, "rb") as file: return hashlib.sha256(file.read()).hexdigest()


def hashes(tool, paths):
    """Returns the hash of the pixels of each file."""
    found = {}
    for start in range(0, len(paths), 50):
        run = subprocess.run([tool, "info", "--json", "--hash", *paths[start:start + 50]], stdout=subprocess.PIPE, text=True)
        for line in run.stdout.splitlines():
            fields = json.loads(line)
            found[fields["source"]] = fields.get("pixelsSHA256") or fields.get("error")
    return found


def make(tool, folder, count):
    """Fills a folder with files that can get smaller, and some that cannot."""
    sources = sorted(glob.glob(os.path.join(PHOTOS, "*.*")))
    kinds = []
    for source in sources:
        for side in (60, 90, 140):
            for extension, options in ((".png", []), (".webp", ["--lossless"]), (".gif", []), (".jpg", [])):
                out = os.path.join(folder, f"kind{len(kinds)}{extension}")
                run = subprocess.run([tool, "convert", source, out, "--thumbnail", f"{side}x{side}", *options, "--first-frame"],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                if run.returncode == 0: kinds.append(out)
    paths = []
    for number in range(count):
        kind = kinds[number % len(kinds)]
        path = os.path.join(folder, f"{number:04}{os.path.splitext(kind)[1]}")
        shutil.copyfile(kind, path)
        paths.append(path)
    for kind in kinds: os.unlink(kind)
    return paths


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1.5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as originals:
        paths = make(arguments.tool, folder, arguments.files)
        before = {path: digest(path) for path in paths}
        pixels = hashes(arguments.tool, paths)
        sizes = {path: os.path.getsize(path) for path in paths}
        for path in paths: shutil.copy2(path, originals)
        command = [arguments.tool, "optimize", "--recursive", "--quiet", folder]
        killed, left = 0, 0
        while killed < arguments.kills:
            # Later kills need work to interrupt: a part of the files is as it was again.
            for path in random.sample(paths, len(paths) // 5):
                shutil.copyfile(os.path.join(originals, os.path.basename(path)), path)
                before[path] = digest(path)
            process = subprocess.Popen(command)
            time.sleep(random.uniform(0, arguments.seconds))
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
            names = set(os.listdir(folder))
            left += sum(name.startswith(".calotype-optimize-") for name in names)
            missing = [path for path in paths if os.path.basename(path) not in names]
            larger = [path for path in paths if os.path.getsize(path) > sizes[path]]
            if missing or larger: sys.exit(f"after kill {killed}: missing {missing}, larger {larger}")
            changed = [path for path in paths if digest(path) != before[path]]
            damaged = [path for path, found in hashes(arguments.tool, changed).items() if found != pixels[path]]
            if damaged: sys.exit(f"after kill {killed}: damaged {damaged}")
            for path in changed: before[path] = digest(path)
        done = subprocess.run(command).returncode
        rest = sorted(set(os.listdir(folder)) - {os.path.basename(path) for path in paths})
        found = hashes(arguments.tool, paths)
        if done or rest or any(found[path] != pixels[path] for path in paths):
            sys.exit(f"at the end: status {done}, left over {rest}")
        total, now = sum(sizes.values()), sum(map(os.path.getsize, paths))
        print(f"{arguments.files} files, {killed} kills, {left} temporary files left and removed by the next run;"
              f" {total:,} → {now:,} bytes, none lost or damaged")


if __name__ == "__main__": main()
