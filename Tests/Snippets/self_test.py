"""Breaks snippets and commands in each way, and looks whether it is found, at its line, and nothing else."""
import sys
import documents

PAGE = """\
# A page

```swift
let chain: TransformChain = [.grayscale(), .contrast(1.2)]
let small = try chain.apply(to: bitmap)
if small.isPurple { … }
```

```swift
let chain = TransformChain([.blur(sigma: 2)])
let small = try chain.applied(to: small)
let other = noSuchName
```

<!-- snippet: not compiled, it is of another library -->
```swift
let image = UIImage()
```

```swift
.product(name: "Calotype", package: "calotype"),
.product(name: "CalotypeUI", package: "calotype"),
```

```swift
.package(url: "…/calotype", branch: "main", traits: [.defaults, "GIF"]),
```

```
calotype --help
```

```sh
calotype convert mountains.jpg a.webp --thumbnail 640x --quality 75   # as it should be
calotype convert mountains.jpg b.webp --thumbnail 640x --qualty 75
calotype inspect mountains.jpg
calotype cache empty
make tests
make bench NUMBER=1
calotype convert mountains.jpg c.webp --quality 101
Benchmarks/Bytes/look.py --fast
export CALOTYPE_CACHE_ROOM=s3
```

```console
$ calotype info pan.gif
pan.gif
  gif, 280×210 pixels, 8 bits per sample, 542 KB
  13 frames, 1.1 s, plays for ever

$ calotype info missing.jpg
$ calotype info pan.gif
pan.gif
  gif, …
  14 frames, 7.5 s, plays for ever
$ curl -o x.png http://127.0.0.1:8080/unsafe/plain/local:///nowhere.jpg
$ curl -o x.png http://127.0.0.1:8080/unsafe/rs:fit:64:64/plain/local:///dandelion.jpg@png
```

Options such as `--thumbnail` and `--thumbnails`, and `calotype get URL --acept image/webp`, `make lint`.
"""
EXPECTED = [
    (6, "isPurple"), (11, "applied"), (12, "noSuchName"),
    (22, "no product CalotypeUI"), (26, "no trait GIF"), (29, "names no language"),
    (35, "--qualty"), (36, "no command inspect"), (37, "no command empty"), (38, "no target tests"), (39, "no variable NUMBER"),
    (40, "ends with"), (41, "--fast"), (42, "CALOTYPE_CACHE_ROOM"), (46, "14 frames"), (51, "missing.jpg"), (56, "ends with"),
    (60, "--thumbnails"), (60, "--acept"),
]
# Errors that the compiler finds only when the types are right.
FLOW = """\
```swift
let text: String
print(text)
print(try url.absoluteString)
```
"""
BY_FLOW = [(3, "before being initialized"), (4, "no calls to throwing functions")]


def compare(check, text, expected, build, server):
    snippets, spans = documents.read("Self-test.md", text)
    failures, done = check(snippets, spans, build, server)
    print(done)
    left, missing = list(failures), []
    for line, part in expected:
        match = next((f for f in left if f[1] == line and part in f[2]), None)
        if match: left.remove(match)
        else: missing.append(f"line {line} was not complained about: {part}")
    return missing + [f"{document}:{line}: {text}" for document, line, text in left]


def run(check, build, server):
    problems = compare(check, PAGE, EXPECTED, build, server) + compare(check, FLOW, BY_FLOW, build, server)
    for problem in problems: print(problem, file=sys.stderr)
    if problems: sys.exit("The self-test failed.")
    print(f"{len(EXPECTED) + len(BY_FLOW)} broken snippets and commands were found.")
