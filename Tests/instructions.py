#!/usr/bin/env python3
"""Counts the instructions of pieces of work with callgrind, and compares them with those on record.

usage: instructions.py CALOTYPE-BENCHMARKS [--update] [--of OTHER-BUILD] [WORK...]

Times depend on the machine and on others who use it, counts hardly do. Each piece of work is done once and five times, so that
start and preparation cancel out. Ends with 1 when a count is more than 3 % above the one on record; `--update` writes the
record, `--of` compares with another build of the program instead.
"""
import argparse, concurrent.futures, json, os, re, shutil, subprocess, sys, tempfile

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.json")
TOLERANCE, FEW, MANY = 0.03, 1, 5
# One instruction set and one order of hash tables, everywhere.
SETTINGS = {"CALOTYPE_SIMD": "128", "SWIFT_DETERMINISTIC_HASHING": "1", "JSIMD_FORCESSE2": "1"}


def total(program, work, times):
    words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "--work", work, "--times", str(times)]
    run = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **SETTINGS})
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or not found: sys.exit(f"{work} fails under valgrind:\n{run.stderr[-2000:]}")
    return int(found[1])


def count(program, work):
    return (total(program, work, MANY) - total(program, work, FEW)) // (MANY - FEW)


def stripped(program, folder):
    """A copy without debug information, which valgrind 3.19 cannot read."""
    copy = os.path.join(tempfile.mkdtemp(dir=folder), os.path.basename(program))
    subprocess.run(["strip", "--strip-debug", "-o", copy, program], check=True)
    return copy


def main():
    parser = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"))
    parser.add_argument("program")
    parser.add_argument("works", nargs="*")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--of", metavar="OTHER-BUILD")
    arguments = parser.parse_args()
    if not shutil.which("valgrind"): return print("no valgrind: instructions are not counted")
    works = arguments.works or subprocess.run([arguments.program, "--list-work"], capture_output=True, text=True, check=True).stdout.split()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        def all_of(program):
            copy = stripped(program, folder)
            return dict(zip(works, pool.map(lambda work: count(copy, work), works)))
        counts = all_of(arguments.program)
        if arguments.of: record = all_of(arguments.of)
        else: record = json.load(open(RECORD)) if os.path.exists(RECORD) else {}
    more = []
    for work in works:
        before = record.get(work)
        change = f"{100 * (counts[work] / before - 1):+.2f} %" if before else "not on record"
        if not arguments.update and (before is None or counts[work] > before * (1 + TOLERANCE)): more.append(work)
        print(f"{work:20} {counts[work]:>14,} instructions  {change}")
    if arguments.update:
        with open(RECORD, "w") as file: file.write(json.dumps({**record, **counts}, indent=2, sort_keys=True) + "\n")
    if more: sys.exit(f"more instructions than on record: {', '.join(more)}. Find the cause, or write the record anew with --update")


if __name__ == "__main__": main()
