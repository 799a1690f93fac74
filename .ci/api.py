#!/usr/bin/env python3
"""Writes the public interface of each module into API/, one sorted line a declaration, and counts the names at the top.

    .ci/api.py BUILD-FOLDER            rewrites API/ by the modules that were built there, such as .build/release
    .ci/api.py --check BUILD-FOLDER    fails when a file in API/ differs from what was built
"""
import difflib
import glob
import json
import os
import platform
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUTPUT = os.path.join(ROOT, "API")
MODULES = [
    "CalotypeImaging", "CalotypeIsolation", "CalotypeCaching", "CalotypeLoading", "Calotype", "CalotypeDisplay",
    "CalotypeObservability",
    "CalotypeLibraryCoders", "CalotypeTestKit", "CalotypeTiers", "CalotypeURLs",
]
# Implied by others, or by the compiler.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"}


def graphs(module, build, folder):
    maps = []
    for place in (os.path.join(ROOT, "Sources"), build):
        for path in sorted(glob.glob(os.path.join(place, "*", "module.modulemap"))):
            maps += ["-Xcc", f"-fmodule-map-file={path}"]
    # Headers of C targets include those of others.
    for path in sorted(glob.glob(os.path.join(ROOT, "Sources", "C*", "include"))):
        maps += ["-Xcc", f"-I{path}"]
    subprocess.run(
        ["swift", "symbolgraph-extract", "-module-name", module, "-I", os.path.join(build, "Modules"), *maps,
         "-minimum-access-level", "public", "-skip-synthesized-members", "-skip-inherited-docs",
         "-target", f"{platform.machine()}-unknown-linux-gnu", "-output-dir", folder], cwd=ROOT, check=True)
    # With what it adds to the types of others.
    for path in sorted(glob.glob(os.path.join(folder, f"{module}.symbols.json"))
                       + glob.glob(os.path.join(folder, f"{module}@*.symbols.json"))):
        with open(path, encoding="utf-8") as file:
            yield json.load(file)


def interface(module, build, folder):
    """The lines of a module, and its names at the top."""
    lines, names, paths, conformances = set(), set(), {}, {}
    for graph in graphs(module, build, folder):
        for symbol in graph["symbols"]:
            path = ".".join(symbol["pathComponents"])
            paths[symbol["identifier"]["precise"]] = path
            declaration = "".join(part["spelling"] for part in symbol["declarationFragments"])
            declaration = re.sub(r"\s+", " ", declaration).strip()
            constraints = symbol.get("swiftExtension", {}).get("constraints", [])
            where = ", ".join(
                f"{c['lhs']} {'==' if c['kind'] == 'sameType' else ':'} {c['rhs']}" for c in constraints
                if c["lhs"] != "Self")
            lines.add(f"{path}  {declaration}" + (f"  where {where}" if where else ""))
            if len(symbol["pathComponents"]) == 1 and symbol["kind"]["identifier"] != "swift.extension":
                names.add(symbol["pathComponents"][0].split("(")[0])
        for relation in graph["relationships"]:
            if relation["kind"] in {"conformsTo", "inheritsFrom"}:
                target = relation.get("targetFallback") or relation["target"]
                conformances.setdefault(relation["source"], set()).add((relation["target"], target))
    for source, targets in conformances.items():
        if source not in paths:
            continue
        told = {paths.get(precise, name).removeprefix("Swift.") for precise, name in targets} - IMPLIED
        if told:
            lines.add(f"{paths[source]}  : {', '.join(sorted(told))}")
    return sorted(lines), names


def reexported(module, seen=()):
    """The modules of the package whose names come with an import of this one, and others."""
    result = {module}
    for path in glob.glob(os.path.join(ROOT, "Sources", module, "**", "*.swift"), recursive=True):
        with open(path, encoding="utf-8") as file:
            for name in re.findall(r"^@_exported (?:public )?import (\w+)", file.read(), re.M):
                if name not in seen:
                    result |= reexported(name, (*seen, module))
    return result


def main():
    arguments = sys.argv[1:]
    checks = arguments[:1] == ["--check"]
    if len(arguments) != (2 if checks else 1):
        sys.exit(__doc__)
    build = os.path.abspath(arguments[-1])
    names, failed = {}, False
    os.makedirs(OUTPUT, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for module in MODULES:
            lines, names[module] = interface(module, build, folder)
            text = "\n".join(lines) + "\n"
            path = os.path.join(OUTPUT, f"{module}.txt")
            present = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
            if present == text:
                continue
            if not checks:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                continue
            failed = True
            sys.stderr.writelines(
                difflib.unified_diff(
                    present.splitlines(True), text.splitlines(True), f"API/{module}.txt", "as built", n=0))
    print("names at the top, with those that an import brings from other modules:")
    for module in MODULES:
        brought = reexported(module)
        outside = sorted(brought - set(MODULES))
        total = set().union(*(names[m] for m in brought if m in names))
        note = f", and {', '.join(outside)}" if outside else ""
        print(f"  {module:24}{len(names[module]):4}  {len(total):4}{note}")
    if failed:
        sys.exit("The public interface has changed. If it is meant to, run make api and commit API/.")


main()
