"""The documents of the project, and the fenced code and commands in them."""
import dataclasses, os, re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = ["README.md", "CONTRIBUTING.md", "Server", "Benchmarks", "DocC"]
SOURCES = ["Sources", "Server/Sources", "Examples"]
FENCE = re.compile(r"^(\s*)(```+)\s*([\w-]*)\s*$")
MARKER = re.compile(r"^\s*<!-- snippet: not (compiled|run), (.+) -->\s*$")
COMMENT = re.compile(r"^\s*/// ?")


@dataclasses.dataclass
class Snippet:
    document: str
    line: int  # of the first line of code
    language: str
    lines: list
    reason: str = ""  # for which it is not compiled, or not run

    @property
    def place(self):
        return f"{self.document}:{self.line}"


@dataclasses.dataclass
class Span:
    """Code in the middle of prose, between single backticks."""
    document: str
    line: int
    text: str

    @property
    def place(self):
        return f"{self.document}:{self.line}"


def paths():
    for names, ending in ((PAGES, ".md"), (SOURCES, ".swift")):
        for name in names:
            top = os.path.join(ROOT, name)
            if os.path.isfile(top): yield name
            for folder, folders, files in os.walk(top):
                folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in ("Sources", "Tests"))
                for file in sorted(files):
                    path = os.path.relpath(os.path.join(folder, file), ROOT)
                    if file.endswith(ending): yield path


def read(document, text=None):
    """The snippets and the spans of a document. Those of sources stand in documentation comments."""
    if text is None: text = open(os.path.join(ROOT, document), encoding="utf-8").read()
    in_comments = document.endswith(".swift")
    snippets, spans, current, marker, indent = [], [], None, "", ""
    for number, line in enumerate(text.splitlines(), 1):
        if in_comments:
            if not COMMENT.match(line):
                current = None
                continue
            line = COMMENT.sub("", line, count=1)
        fence = FENCE.match(line)
        if current is not None:
            if fence and not fence[3]: current = None
            else: current.lines.append(line[len(indent):] if line.startswith(indent) else line.lstrip())
        elif fence:
            indent = fence[1]
            current = Snippet(document, number + 1, fence[3], [], marker)
            snippets.append(current)
        else:
            spans += [Span(document, number, s) for s in re.findall(r"(?<!`)`([^`]+)`(?!`)", line)]
        matched = MARKER.match(line)
        marker = matched[2] if matched else ""
    return snippets, spans


def everything():
    snippets, spans = [], []
    for path in paths():
        found = read(path)
        snippets += found[0]
        spans += found[1]
    return snippets, spans
