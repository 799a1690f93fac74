#!/usr/bin/env python3
"""Compares bytes at equal quality. usage: run.py [SECTION...]; a section is a module of this folder with a function `main`."""
import importlib, sys

SECTIONS = ["jpeg"]

for section in sys.argv[1:] or SECTIONS:
    print(f"\n## {section}\n", flush=True)
    importlib.import_module(section).main(True)
