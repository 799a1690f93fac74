#!/usr/bin/env python3
"""Writes Sources/Neighbours/Names.swift: an empty extension of every type at the top of the modules that a server or its tests
import."""
import os
import re

FOLDER = os.path.dirname(os.path.abspath(__file__))
API = os.path.join(FOLDER, "..", "..", "API")
MODULES = [
    "Calotype", "CalotypeCaching", "CalotypeDisplay", "CalotypeImaging", "CalotypeLibraryCoders", "CalotypeLoading",
    "CalotypeObservability", "CalotypeTestKit", "CalotypeURLs"]
names = set()
for module in MODULES:
    with open(os.path.join(API, f"{module}.txt"), encoding="utf-8") as file:
        names |= set(re.findall(r"^(\w+)  (?:[@\w]+ )*?(?:class|struct|enum|actor|protocol) \1\b", file.read(), re.M))
ours = ["Calotype", "CalotypeDisplay", "CalotypeLibraryCoders", "CalotypeObservability", "CalotypeTestKit", "CalotypeURLs"]
others = ["Foundation", "Hummingbird", "NIOCore", "NIOFileSystem"]
text = "".join(f"import {name}\n" for name in ours + others) + "\n" + "".join(f"extension {name} {{}}\n" for name in sorted(names))
path = os.path.join(FOLDER, "Sources", "Neighbours", "Names.swift")
if not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
print(f"{len(names)} types beside {', '.join(others)}")
