#!/usr/bin/env python3
"""Runs the tests of a build with coverage, and prints the lines that they reach, by module.

usage: coverage.py BUILD-FOLDER [--files MODULE]

BUILD-FOLDER was built with `--enable-code-coverage` (`make coverage`). `--files` lists the files of a module, the least covered first.
Processes that tests start, such as the command and sandboxes, count as well. Ends with 1 when all modules together, without drawing
on terminals, are below 90 %.
"""
import argparse, collections, glob, json, os, shutil, subprocess, sys, tempfile

WANTED, DRAWING = 0.90, {"CalotypeTerminal"}


def tool(name):
    beside = os.path.join(os.path.dirname(os.path.realpath(shutil.which("swift") or "swift")), name)
    return beside if os.path.exists(beside) else name


def main():
    parser = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"))
    parser.add_argument("build")
    parser.add_argument("--files", metavar="MODULE")
    arguments, _ = parser.parse_known_args()
    build = os.path.join(arguments.build, "release")
    tests = os.path.join(build, "CalotypePackageTests.xctest")
    data = os.path.join(arguments.build, "all.profdata")
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "LLVM_PROFILE_FILE": os.path.join(folder, "%m-%p.profraw")}
        # The command ends without the handlers of libraries, and with them without that of the counts.
        handlers = os.path.join(folder, "handlers.c")
        with open(handlers, "w") as file: file.write("#include <stdlib.h>\nvoid _exit(int status) { exit(status); }\n")
        subprocess.run([tool("clang"), "-shared", "-fPIC", "-o", handlers + ".so", handlers], check=True)
        environment["LD_PRELOAD"] = handlers + ".so"
        computing = r"^(CalotypeImagingTests|FuzzTargets)\."
        for selection in (["--filter", computing], ["--skip", computing]):
            subprocess.run([tests, "--testing-library", "swift-testing", "--experimental-maximum-parallelization-width", "4", *selection],
                           env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Many processes, each with a file of its own.
        names = os.path.join(folder, "names")
        with open(names, "w") as file: file.write("\n".join(glob.glob(os.path.join(folder, "*.profraw"))))
        subprocess.run([tool("llvm-profdata"), "merge", "--failure-mode=all", "-sparse", "-f", names, "-o", data], check=True, stderr=subprocess.DEVNULL)
    programs = [path for name in ("calotype", "SandboxHost") for path in [os.path.join(build, name)] if os.path.exists(path)]
    words = [tool("llvm-cov"), "export", "-summary-only", "-instr-profile", data, tests, *sum((["-object", path] for path in programs), [])]
    summary = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    modules, files = collections.defaultdict(lambda: [0, 0]), []
    for file in summary["data"][0]["files"]:
        parts = file["filename"].split("/Sources/", 1)
        if len(parts) < 2 or "/Benchmarks/" in parts[0] or ".build" in file["filename"]: continue
        module, lines = parts[-1].split("/")[0], file["summary"]["lines"]
        modules[module][0] += lines["covered"]
        modules[module][1] += lines["count"]
        if module == arguments.files: files.append((lines["covered"] / max(1, lines["count"]), lines["count"] - lines["covered"], parts[-1]))
    for share, missing, name in sorted(files): print(f"{100 * share:6.1f} %  {missing:5} lines missing  {name}")
    print("| module | lines | covered |\n|---|---|---|")
    for module, (covered, count) in sorted(modules.items()): print(f"| {module} | {count:,} | {100 * covered / max(1, count):.1f} % |")
    covered, count = (sum(pair[i] for module, pair in modules.items() if module not in DRAWING) for i in (0, 1))
    print(f"| all, without drawing on terminals | {count:,} | **{100 * covered / count:.1f} %** |")
    if covered < WANTED * count: sys.exit(f"less than {100 * WANTED:.0f} %")


if __name__ == "__main__": main()
