#!/usr/bin/env python3
"""Counts the public symbols without a documentation comment, and those that throw without saying what.

    .ci/docs.py BUILD-FOLDER    of the modules that were built there, such as .build-test/release; fails if there are any

A symbol counts as documented if a requirement that it satisfies, or the symbol that it overrides, is; synthesized ones do
not count. A symbol that throws says so by `- Throws:`, by the word "throws" in its comment, or by its type: `throws(SomeError)`. Requirements of
protocols say it in any case, because others conform by their comments.
"""
import importlib.util
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
# Members that the compiler or a protocol of the standard library asks for, and whose names say all.
PLAIN = {"==(_:_:)", "hash(into:)", "encode(to:)", "init(from:)", "init(rawValue:)", "rawValue", "description",
         "debugDescription", "makeAsyncIterator()", "makeIterator()", "Element", "Failure", "AsyncIterator", "allCases",
         "hashValue", "!=(_:_:)", "RawValue", "AllCases"}
TOLD = re.compile(r"- Throws:|\bthrows?\b|\bthrown\b", re.I)


def load_api():
    """The functions of api.py, without its main."""
    path = os.path.join(HERE, "api.py")
    source = open(path, encoding="utf-8").read().rsplit("\nmain()", 1)[0]
    spec = importlib.util.spec_from_loader("api", loader=None, origin=path)
    module = importlib.util.module_from_spec(spec)
    module.__file__ = path
    exec(compile(source, path, "exec"), module.__dict__)
    return module


def place(symbol):
    location = symbol.get("location")
    if not location:
        return "?"
    path = location["uri"].removeprefix("file://")
    return f"{path[path.find('Sources/'):]}:{location['position']['line'] + 1}"


def throws(symbol):
    """Whether a symbol throws, and whether its declaration names the type of the errors."""
    fragments = symbol["declarationFragments"]
    words = [part["spelling"] for part in fragments]
    text = "".join(words)
    # Those of closures among the parameters are not its own.
    depth, own = 0, ""
    for letter in text:
        depth += (letter in "([{<") - (letter in ")]}")
        if depth == 0:
            own += letter
    return re.search(r"\bthrows\b", own) is not None, re.search(r"\bthrows\s*\(", text) is not None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[1])
    api = load_api()
    undocumented, untold, count, throwing = [], [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for module in api.MODULES:
            symbols, satisfied, requirements = {}, {}, set()
            for graph in api.graphs(module, build, folder):
                for symbol in graph["symbols"]:
                    symbols[symbol["identifier"]["precise"]] = symbol
                for relation in graph["relationships"]:
                    if relation["kind"] in ("overrides", "defaultImplementationOf"):
                        satisfied[relation["source"]] = relation["target"]
                    elif relation["kind"] == "requirementOf":
                        requirements.add(relation["source"])
            for precise, symbol in symbols.items():
                name = symbol["pathComponents"][-1]
                if symbol["kind"]["identifier"] in ("swift.extension",) or "::SYNTHESIZED::" in precise:
                    continue
                if name in PLAIN or name.startswith("$"):
                    continue
                count += 1
                comment = "\n".join(line["text"] for line in symbol.get("docComment", {}).get("lines", []))
                base = symbols.get(satisfied.get(precise))
                if not comment and base:
                    comment = "\n".join(line["text"] for line in base.get("docComment", {}).get("lines", []))
                path = f"{module}.{'.'.join(symbol['pathComponents'])}"
                if not comment.strip():
                    undocumented.append((place(symbol), path))
                    continue
                (is_throwing, is_typed) = throws(symbol)
                if is_throwing and (not is_typed or precise in requirements):
                    throwing += 1
                    if not TOLD.search(comment):
                        untold.append((place(symbol), path))
    for title, misses in (("without a comment", undocumented), ("throws, and does not say what", untold)):
        for where, path in sorted(misses):
            print(f"{where}: {path}: {title}")
    print(f"{count} public symbols, {len(undocumented)} without a comment; {throwing} throw errors of any type or are"
          f" requirements that throw, {len(untold)} do not say what")
    if undocumented or untold:
        sys.exit(1)


main()
