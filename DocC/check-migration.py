#!/usr/bin/env python3
"""Checks the pages on migration: type-checks their Swift code, and runs the commands of the page on libvips and ImageMagick.

    DocC/check-migration.py BUILD-FOLDER

The folder holds the modules and the command, built with all traits, such as .build-test/release. Code of other libraries
begins with a comment that names the library.
"""
import concurrent.futures
import glob
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = sorted(glob.glob(os.path.join(ROOT, "DocC/Calotype.docc/ComingFrom*.md")))
OTHERS = re.compile(r"// (SDWebImage|Nuke|Kingfisher|vips)\b")
DECLARATION = re.compile(r"^(?=(?:struct|final class|enum|actor|extension) )", re.MULTILINE)

# What the pieces of code take for granted.
CONTEXT = """
import Calotype
import CalotypeDisplay
import FoundationEssentials

struct TokenStore: Sendable {
  var user: String
  func current() async throws -> String { "" }
}
@MainActor func draw(_ image: Image?, by transition: SlotState.Transition) {}
"""
ARGUMENTS = ("url: URL, urls: [URL], file: URL, data: Data, image: Image, gray: Image, pipeline: ImagePipeline, "
             "tokens: TokenStore")


def pieces(page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for match in re.finditer(r"^```swift\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        if not OTHERS.match(match[1]):
            yield text[:match.start()].count("\n") + 2, match[1]


def source(code):
    """A file with the declarations of the code at its top, and the rest in a function."""
    head, *rest = DECLARATION.split(code)
    declarations, body = [], head
    for part in rest:
        end = part.index("\n}\n") + 3
        declarations.append(part[:end])
        body += part[end:]
    return CONTEXT + "\n".join(declarations) + f"\n@MainActor func check({ARGUMENTS}) async throws {{\n{body}\n}}\n"


def type_check(build, folder):
    maps = []
    for place in (os.path.join(ROOT, "Sources"), build):
        for path in sorted(glob.glob(os.path.join(place, "*", "module.modulemap"))):
            maps += ["-Xcc", f"-fmodule-map-file={path}"]
    for path in sorted(glob.glob(os.path.join(ROOT, "Sources", "C*", "include"))):
        maps += ["-Xcc", f"-I{path}"]

    def check(page, line, code):
        path = os.path.join(folder, f"{os.path.basename(page)[:-3]}-{line}.swift")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source(code))
        result = subprocess.run(
            ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-I", os.path.join(build, "Modules"), *maps,
             "-target", f"{platform.machine()}-unknown-linux-gnu", path], capture_output=True, text=True)
        errors = [part for part in result.stderr.splitlines() if " error: " in part]
        return f"{page}:{line}: " + "\n  ".join(errors or [result.stderr]) if result.returncode else None

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda piece: check(*piece), [(page, *piece) for page in PAGES for piece in pieces(page)]))


def samples(calotype, folder):
    """The files that the commands name."""
    photos = os.path.join(ROOT, "Examples", "Photos")

    def convert(*arguments):
        subprocess.run([calotype, "convert", *arguments], cwd=folder, check=True, capture_output=True)

    convert(f"{photos}/mountains.jpg", "in.jpg", "--thumbnail", "320x")
    convert(f"{photos}/brushes.png", "in.png", "--thumbnail", "320x")
    convert(f"{photos}/pan.gif", "in.gif", "--thumbnail", "100x")
    convert("in.png", "mark.png", "--transform", "resize:64x64,fill", "--transform", "circle")
    convert("in.png", "other.png")
    for name in "abcd":
        convert("in.jpg", f"{name}.png", "--transform", "resize:100x75,fill")
    with open(os.path.join(folder, "in.svg"), "w", encoding="utf-8") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" width="100" height="60"><rect width="50" height="60"/></svg>')
    fixtures = os.path.join(ROOT, "Tests", "Fixtures", "described")
    shutil.copy(os.path.join(fixtures, "gen-two-pages-of-two-sizes.tif"), os.path.join(folder, "in.tif"))


def commands(page):
    """The commands of the column of `calotype` in each table."""
    header = None
    with open(page, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("|"):
                header = None
                continue
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if header is None:
                header = cells
                continue
            for title, cell in zip(header, cells):
                prefix = {"`calotype`": "", "`calotype convert`": "calotype convert "}.get(title)
                for command in re.findall(r"`([^`]+)`", cell) if prefix is not None else []:
                    if re.match(r"calotype |(in|a)\.\w+ ", command) and "https:" not in command:
                        yield command if command.startswith("calotype ") else prefix + command


def run(calotype, folder):
    samples(calotype, folder)
    for command in commands(os.path.join(ROOT, "DocC/Calotype.docc/ComingFromLibvips.md")):
        result = subprocess.run([calotype, *shlex.split(command)[1:]], cwd=folder, capture_output=True, text=True)
        yield f"{command}: {result.stderr.strip()}" if result.returncode else None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        checked = type_check(build, folder)
        ran = list(run(os.path.join(build, "calotype"), folder))
    failures = [failure for failure in checked + ran if failure]
    print("\n".join(failures + [f"{len(checked)} pieces of code, {len(ran)} commands, {len(failures)} failures"]))
    if failures or not checked or len(ran) < 40:
        sys.exit(1)


main()
