"""Compiles the Swift of documents: each page is a function, in which each snippet is a scope inside that of the one before."""
import glob, os, re, shutil, subprocess, tempfile
from concurrent.futures import ThreadPoolExecutor
from documents import ROOT

PRELUDES = os.path.join(ROOT, "Tests", "Snippets")
FEATURES = ["NonisolatedNonsendingByDefault", "InternalImportsByDefault", "ExistentialAny", "MemberImportVisibility"]
# Imports that pages, or pages about a module, have without saying so.
IMPORTS = {"ComingFromKingfisher": ["CalotypeDisplay"], "ComingFromNuke": ["CalotypeDisplay"],
           "ComingFromSDWebImage": ["CalotypeDisplay"], "WritingACoder": ["CalotypeTestKit"],
           "CalotypeTestKit": ["PNMCoder", "Testing"], "CalotypeImaging": ["PNMCoder"],
           "CalotypeSettings": ["CalotypeURLs"], "CalotypePlanning": ["CalotypeURLs"]}
# Modules without a public interface: their snippets are compiled as part of the package. Examples have none either.
INNER = {"CalotypeSupport", "CalotypeTerminal"}
# Errors of excerpts that whole programs do not have.
EXCERPT = re.compile(r"never used|never read|never mutated|never written|is unused|never be executed|are unused")
DIAGNOSTIC = re.compile(r"^(\S[^:\n]*):(\d+):\d+: (error|warning): (.*)$", re.M)
FILE_LEVEL = re.compile(r"^(@Test|@Suite|@main|extension |public )")
DECLARATION = re.compile(r"^(@|#|//|\s|[)}\]]|$|(import|public|package|fileprivate|private|final|indirect|nonisolated|"
                         r"struct|class|actor|enum|extension|protocol|func|typealias)\b)")
PACKAGE = re.compile(r"^\.(package|product|target|testTarget|executableTarget)\(")
# The meaning of …: statements.
PLACEHOLDER = [
    (re.compile(r"\{ … \}"), "{ fatalError() }"),
    (re.compile(r"^(\s*(?:case .*|default)):\s+…(?=\s*(//|$))"), r"\1: fatalError()"),
    (re.compile(r"^\s*…\s*$"), ""),
]


def module(document):
    """The module that a page is about."""
    parts = document.split("/")
    for part in parts:
        if part.endswith(".docc"): return part.removesuffix(".docc")
    if parts[0] == "Sources": return parts[1]
    if parts[:2] == ["Server", "Sources"]: return parts[2]
    return {"PNM": "PNMCoder"}.get(parts[1], parts[1]) if parts[0] == "Examples" else "Calotype"


def is_foreign(snippet):
    """Whether a page about coming from another library shows code of that: its first line is a comment that names it."""
    page = re.search(r"ComingFrom(\w+)\.md$", snippet.document)
    name = re.match(r"// (\w+)", snippet.lines[0]) if snippet.lines else None
    return bool(page and name and name[1].lower() in page[1].lower())


def is_manifest(snippet):
    return "import PackageDescription" in snippet.lines


def is_package(snippet):
    return is_manifest(snippet) or any(PACKAGE.match(line) for line in snippet.lines)


def package_code(snippets):
    """Parts of manifests, each as an array of its kind."""
    kinds = {"package": "Package.Dependency", "product": "Target.Dependency"}
    out = ["import PackageDescription", "func parts() {"]
    for snippet in snippets:
        if is_manifest(snippet): continue
        depth = 0
        for number, line in enumerate(snippet.lines):
            start = PACKAGE.match(line) if depth == 0 else None
            if start:
                out += [f'#sourceLocation(file: "{snippet.document}", line: {snippet.line + number - 1})',
                        f"let _: [{kinds.get(start[1], 'Target')}] = ["]
            out.append(line)
            code = re.sub(r'"[^"]*"', "", line).split("//")[0]
            depth += sum(map(code.count, "([")) - sum(map(code.count, ")]"))
            if depth == 0 and code.strip(): out += ["]", "#sourceLocation()"]
    return "\n".join([*out, "}"]) + "\n"


def check_package(snippets):
    """The failures among parts of manifests: what they name has to be in ours."""
    manifest = open(os.path.join(ROOT, "Package.swift"), encoding="utf-8").read()
    products = set(re.findall(r'\.(?:library|executable)\(\s*name: "([\w-]+)"', manifest))
    traits = set(re.findall(r'\.trait\(\s*name: "(\w+)"', manifest))
    found = []
    for snippet in snippets:
        for number, line in enumerate(snippet.lines, snippet.line):
            for name, package in re.findall(r'\.product\(name: "([^"]+)", package: "([^"]+)"', line):
                if package == "calotype" and name not in products: found.append((snippet.document, number, f"the package has no product {name}"))
            for names in re.findall(r"traits: \[([^\]]*)\]", line):
                for name in re.findall(r'"([^"]+)"', names):
                    if name not in traits: found.append((snippet.document, number, f"the package has no trait {name}"))
    if not snippets: return found
    interface = os.path.join(os.path.dirname(os.path.realpath(shutil.which("swiftc"))), "..", "lib", "swift", "pm", "ManifestAPI")
    with tempfile.TemporaryDirectory() as folder:
        version = re.match(r"// swift-tools-version: ([\d.]+)", manifest)[1]
        texts = [package_code(snippets)]
        for snippet in filter(is_manifest, snippets):
            texts.append(f'#sourceLocation(file: "{snippet.document}", line: {snippet.line})\n' + "\n".join(snippet.lines) + "\n")
        for number, text in enumerate(texts):
            path = os.path.join(folder, f"Package{number}.swift")
            with open(path, "w", encoding="utf-8") as file: file.write(text)
            found += failures(*compile([path], ["-I", interface, "-package-description-version", f"{version}.0"], folder))
    return found


def page_code(number, document, snippets, given):
    """A file with the function that a page is, below its imports and what cannot stand in a function."""
    imports, top, body = {}, [], []
    # Then all that can stand beside such declarations does.
    hoists = any(FILE_LEVEL.match(line) for snippet in snippets for line in snippet.lines)
    depth = 0
    subject = module(document)
    page = os.path.basename(document).split(".")[0]
    for name in ["Foundation", "Calotype", subject, *IMPORTS.get(subject, []), *IMPORTS.get(page, [])]:
        imports[name] = f"{'@testable ' if name in INNER or name == subject and document.startswith('Examples/') else ''}import {name}"
    for snippet in snippets:
        location = f'#sourceLocation(file: "{snippet.document}", line: {{}})'
        lines, at_top = [], hoists and all(map(DECLARATION.match, snippet.lines))
        for offset, line in enumerate(snippet.lines):
            if match := re.match(r"^(?:@testable )?import (\w+)", line):
                imports[match[1]] = location.format(snippet.line + offset) + f"\n{line}\n#sourceLocation()"
                line = ""
            line = re.sub(r"^@main\b", "", line)  # of several pages
            for pattern, replacement in PLACEHOLDER: line = pattern.sub(replacement, line)
            lines.append(line)
        code = [location.format(snippet.line), *lines, "#sourceLocation()"]
        if at_top:
            top += code
        else:
            body += ["do {", *code]
            depth += 1
    names = [f"GivenIn{page}", f"GivenIn{subject}"]
    names = [re.sub(r"\W", "_", name) for name in names]
    owner = next((name for name in names if f"enum {name} " in given), None)
    function = ([f"{'static ' if owner else ''}func page{number}() async throws -> Any? {{", *body, *["}"] * depth,
                 "return nil", "}"])
    if owner: function = [f"extension {owner} {{", *function, "}"]
    return "\n".join([*imports.values(), *top, *(function if body else [])]) + "\n"


def package_folder(build):
    """The package of a build, in whose folder .build-test/release is."""
    return os.path.dirname(os.path.dirname(build))


def flags(build):
    """How to find the modules of a build, and those of C that they import."""
    checkouts = os.path.join(os.path.dirname(build), "checkouts", "*", "Sources", "*", "include")
    places = [os.path.join(ROOT, "Sources", "*"), os.path.join(build, "*"), checkouts]
    result = ["-I", os.path.join(build, "Modules"), "-module-cache-path", os.path.join(build, "ModuleCache"), "-swift-version", "6"]
    for name in FEATURES: result += ["-enable-upcoming-feature", name]
    for place in places:
        for path in sorted(glob.glob(os.path.join(place, "module.modulemap"))): result += ["-Xcc", f"-fmodule-map-file={path}"]
    # Headers of C targets include those of others.
    for place in (os.path.join(ROOT, "Sources", "C*", "include"), checkouts):
        for path in sorted(glob.glob(place)): result += ["-Xcc", f"-I{path}"]
    return result


def compile(files, arguments, folder):
    command = ["swiftc", "-emit-sil", "-o", "/dev/null", "-parse-as-library", "-wmo", "-module-name", "Snippets", "-diagnostic-style", "llvm",
               "-no-color-diagnostics", *arguments, *files]
    run = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return run.returncode, run.stdout


def failures(status, output):
    found = []
    for match in DIAGNOSTIC.finditer(output):
        if match[3] == "warning" and EXCERPT.search(match[4]): continue
        found.append((match[1], int(match[2]), match[4]))
    if status and not found: found.append(("swiftc", 0, output.strip()[-2000:]))
    return found


def part(document, snippets, build, server):
    """Which pages are compiled together: the name of the file that has what they take for granted."""
    def has(folder, name): return os.path.exists(os.path.join(folder, "Modules", f"{name}.swiftmodule"))
    imports = [match[1] for s in snippets for line in s.lines if (match := re.match(r"import (\w+)", line))]
    if document.startswith("Server/") or any(has(server, i) and not has(build, i) for i in imports): return "Server"
    return "Inner" if module(document) in INNER else "Prelude"


def package_name(build):
    """The name under which the modules of a build are one package: that of its folder."""
    return re.sub(r"\W", "_", os.path.basename(package_folder(build)).lower())


def check(snippets, build, server):
    """The failures among snippets, as document, line and text."""
    jobs = {}
    pages = {}
    for snippet in snippets: pages.setdefault(snippet.document, []).append(snippet)
    with tempfile.TemporaryDirectory() as folder:
        for number, document in enumerate(sorted(pages)):
            name = part(document, pages[document], build, server)
            prelude = os.path.join(PRELUDES, f"{name}.swift")
            if name not in jobs:
                arguments = flags(server if name == "Server" else build)
                if name == "Inner": arguments += ["-package-name", package_name(build)]
                jobs[name] = ([prelude], arguments)
            path = os.path.join(folder, f"page{number}.swift")
            with open(path, "w", encoding="utf-8") as file:
                file.write(page_code(number, document, pages[document], open(prelude, encoding="utf-8").read()))
            jobs[name][0].append(path)
        with ThreadPoolExecutor(2) as pool:
            runs = list(pool.map(lambda job: compile(*job, folder), jobs.values()))
    return [(os.path.relpath(place, ROOT) if os.path.isabs(place) else place, line, text)
            for status, output in runs for place, line, text in failures(status, output)]
