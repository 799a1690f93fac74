#!/usr/bin/env python3
"""Changes bytes of images at random, and decodes them in guarded memory that is full of one byte, then of another.

usage: mutants.py [--count N] [--seed N] [--batch N] [--keep DIR] COMMAND

A read or write beyond a block, of what was freed, or of what was never written ends the command or changes its output.
Images that show such a thing are kept. Of each fixture mutants are made in turn, whole and in pieces, by both sets of
coders; without a C compiler blocks have no guards.
"""
import argparse, os, random, shutil, struct, subprocess, sys, tempfile, zlib

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(HERE, "..", "Fixtures")
WAYS = [[], ["--chunk", "613"], ["--upright", "--srgb", "--facts"], ["--coders", "libraries"]]
FILLS = [0xA5, 0x3C]


def seeds():
    found = []
    for folder, _, names in os.walk(FIXTURES):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.rsplit(".", 1)[-1] in ("png", "apng", "gif", "jpg", "webp") and 0 < os.path.getsize(path) < 12 << 10:
                found.append((name.rsplit(".", 1)[-1], open(path, "rb").read()))
    return sorted(found)


def checksums(data):
    """A PNG with the CRC of each chunk made right: else nothing behind the first change would be looked at."""
    out, offset = bytearray(data[:8]), 8
    while offset + 12 <= len(data):
        length = struct.unpack_from(">I", data, offset)[0]
        if length > len(data) - offset - 12: break
        body = data[offset + 4:offset + 8 + length]
        out += data[offset:offset + 8 + length] + struct.pack(">I", zlib.crc32(body))
        offset += 12 + length
    return bytes(out) + bytes(data[offset:])


def mutant(kind, data, random):
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 4, 8])):
        place, choice = random.randrange(len(data)), random.random()
        if choice < 0.4: data[place] ^= 1 << random.randrange(8)
        elif choice < 0.7: data[place] = random.choice([0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)])
        elif choice < 0.8: del data[place:place + random.randrange(1, 20)]
        elif choice < 0.9: data[place:place] = data[place:place + random.randrange(1, 20)]
        elif choice < 0.95: data[place:place + 4] = struct.pack(random.choice("<>") + "I", random.choice([0, 1, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF]))[:len(data) - place]
        else: del data[place:]
        if not data: data = bytearray(b"\0")
    if kind in ("png", "apng") and random.random() < 0.8: data = checksums(data)
    return bytes(data)


def run(command, guard, fill, options, paths):
    environment = dict(os.environ, CALOTYPE_MEMORY_FILL=str(fill), GUARD_FILL=str(255 - fill), MALLOC_PERTURB_=str(255 - fill),
                       SWIFT_BACKTRACE="enable=no")
    if guard: environment["LD_PRELOAD"] = guard
    result = subprocess.run([command, "info", "--json", "--hash"] + options + paths, env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return result.returncode, result.stdout.decode(errors="replace").splitlines()


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--keep", default="mutants")
    parser.add_argument("command")
    options = parser.parse_args()
    images, failures, done, decoded = seeds(), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        guard = None
        if compiler := shutil.which("cc") or shutil.which("clang"):
            guard = os.path.join(folder, "guard.so")
            subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-fno-builtin", "-o", guard, os.path.join(HERE, "guard.c")],
                           check=True)
        while done < options.count:
            numbers = range(done, min(done + options.batch, options.count))
            paths = []
            for number in numbers:
                kind, data = images[number % len(images)]
                paths.append(os.path.join(folder, f"{number}.{kind}"))
                with open(paths[-1], "wb") as file: file.write(mutant(kind, data, random.Random(options.seed << 32 | number)))
            way = WAYS[(done // options.batch) % len(WAYS)]
            outputs = [run(options.command, guard, fill, way, paths) for fill in FILLS]
            suspects = []
            if any(code not in (0, 1) for code, _ in outputs) or len({len(lines) for _, lines in outputs} | {len(paths)}) > 1:
                suspects = [path for path in paths if any(
                    code not in (0, 1) or len(lines) != 1
                    for code, lines in (run(options.command, guard, fill, way, [path]) for fill in FILLS))] or paths
            else:
                suspects = [path for path, one, other in zip(paths, outputs[0][1], outputs[1][1]) if one != other]
                decoded += sum("pixelsSHA256" in line for line in outputs[0][1])
            for path in suspects:
                os.makedirs(options.keep, exist_ok=True)
                shutil.copy(path, options.keep)
                print(f"{' '.join(way) or 'whole'}: {os.path.join(options.keep, os.path.basename(path))}", flush=True)
            failures += len(suspects)
            for path in paths: os.unlink(path)
            done = numbers[-1] + 1
            if sys.stderr.isatty(): print(f"\r{done} of {options.count}", end="", file=sys.stderr, flush=True)
    print(f"{done} mutants of {len(images)} images, {decoded} decoded, {failures} failures{'' if guard else ', without guards'}")
    return 1 if failures else 0


sys.exit(main())
