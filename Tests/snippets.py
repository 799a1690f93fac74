#!/usr/bin/env python3
"""Compiles the Swift of all documents and documentation comments, and runs their commands.

usage: snippets.py [--self-test] BUILD-FOLDER [SERVER-BUILD-FOLDER]

BUILD-FOLDER is a build of all modules and of the command, such as .build-test/release; that of the server is
Server/.build/debug, by default.

Swift: a page, or the comments of a source file, is one function. Each snippet is a scope in that of the one before, so that
it sees the names that they declare, and may declare them again. Names that a page takes for granted are in
Snippets/Prelude.swift, Inner.swift and Server.swift. Pages import Foundation, Calotype and the module that they are about,
and what they say. `…` stands for statements: of a body, of a case, or a line. Parts of manifests name products and traits that exist.
A page ComingFromNAME.md has code of NAME, below a comment that begins with that name.

Commands: `console` has prompts and all that is printed, `sh` has commands alone. Options, commands, variables, targets and files have
to exist, also in code in the middle of prose. What needs nothing but the photos, in the folder or at https://example.org, and an
image server at 127.0.0.1:8080 is run. Numbers of seconds may differ, … stands for anything.

`<!-- snippet: not compiled, REASON -->` in the line above is for Swift that cannot be compiled, `not run` for commands that
cannot be run: they are looked at nevertheless.
"""
import os, re, sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "Snippets"))
import documents, shell_code, swift_code
from documents import ROOT


def check(snippets, spans, build, server):
    """The failures, as document, line and text, and what was done."""
    failures = []
    foreign = [s for s in snippets if swift_code.is_foreign(s)]
    marked = [s for s in snippets if s.reason]
    for snippet in snippets:
        if not snippet.language:
            failures.append((snippet.document, snippet.line - 1,
                             "the fence names no language: swift, sh for commands, console for prompts and output, text"))
    swift = [s for s in snippets if s.language == "swift" and not s.reason and s not in foreign]
    packages = [s for s in swift if swift_code.is_package(s)]
    code = [s for s in swift if not swift_code.is_package(s)]
    shell = [s for s in snippets if s.language in ("sh", "bash", "console")]
    failures += swift_code.check_package(packages)
    failures += swift_code.check(code, build, server)
    own = {}
    for snippet in packages:
        own.setdefault(snippet.document, set()).update(re.findall(r'\.executableTarget\(\s*name: "(\w+)"', "\n".join(snippet.lines)))
    found, run, looked = shell_code.check(shell, spans, shell_code.Programs(build, server), own)
    failures += found
    done = (f"{len(swift)} snippets of Swift compiled, {run} commands run, {looked} looked at, "
            f"{len(foreign)} of other libraries, {len(marked)} marked")
    return sorted(set(failures)), done


def main():
    arguments = sys.argv[1:]
    tests_itself = arguments[:1] == ["--self-test"]
    if tests_itself: arguments.pop(0)
    if not 1 <= len(arguments) <= 2: sys.exit(__doc__)
    build = os.path.abspath(arguments[0])
    server = os.path.abspath(arguments[1] if arguments[1:] else os.path.join(ROOT, "Server", ".build", "debug"))
    if tests_itself:
        import self_test
        return self_test.run(check, build, server)
    snippets, spans = documents.everything()
    failures, done = check(snippets, spans, build, server)
    for document, line, text in failures: print(f"{document}:{line}: {text}", file=sys.stderr)
    print(done)
    if failures:
        sys.exit(f"{len(failures)} failures. Mend the text; a name that a page takes for granted belongs in Tests/Snippets.")


if __name__ == "__main__": main()
