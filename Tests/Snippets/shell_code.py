"""The commands of documents: options, targets and files have to exist; commands that need nothing from outside are run, and
print what their page says."""
import functools, gzip, http.server, os, re, shlex, shutil, socket, stat, subprocess, tempfile, threading
from documents import ROOT

# Programs that are run. Others are only looked at, and with them all of a pipeline.
RUN = {"calotype", "calotype-server", "curl", "zcat", "grep", "find", "export", "openssl"}
# Of files in the folder, which others need.
FILES = {"printf", "echo", "cat", "head", "cp", "mkdir"}
# Those of them that need a terminal.
TERMINAL = {"show", "browse"}
# Options in prose that are not ours: of swift build; and --name-file stands for many.
OTHERS = {"--enable-all-traits", "--disable-default-traits", "--name-file"}
# Parts of output that differ each time.
TIMES = re.compile(r"\b\d+(?:\.\d+)? (?:ms|s|min)\b")
OPERATORS = {"|", "&&", "||", ";", "&", "(", ")"}
REDIRECTIONS = {"<", ">", ">>", ">&"}
PLACEHOLDER = re.compile(r"…|\b[A-Z]{3,}\b(?!=)|\[(?:--|[A-Z])")
SECONDS = 120


class Failure(Exception):
    pass


class Command:
    """A command, with its continuations, and the lines behind it that it prints."""

    def __init__(self, document, line, text, shows=False, is_marked=False):
        self.document, self.line, self.text, self.output = document, line, text, []
        self.shows = shows  # all that it prints
        self.is_marked = is_marked  # as not to be run

    @property
    def place(self):
        return f"{self.document}:{self.line}"

    @property
    def calls(self):
        """The words of each program that is called."""
        text = re.sub(r"\[([^\]]*)\]", r" \1 ", self.text) if PLACEHOLDER.search(self.text) else self.text
        text = re.sub(r"\$\(([^()]*)\)", r" ; \1 ; ", text)
        lexer = shlex.shlex(text, posix=True, punctuation_chars="|&;()<>")
        lexer.commenters, lexer.whitespace_split = "#", True
        calls, is_file = [[]], False
        for word in lexer:
            if is_file: is_file = False
            elif word in REDIRECTIONS: is_file = True
            elif word in OPERATORS: calls.append([])
            elif not calls[-1] and re.match(r"^\w+=", word): pass
            else: calls[-1].append(word)
        return [call for call in calls if call]


def commands(snippet):
    """The commands of a snippet: behind prompts in `console`, each line in `sh`."""
    found, continued = [], False
    for offset, line in enumerate(snippet.lines):
        prompted = line.startswith("$ ")
        if continued:
            found[-1].text += "\n" + line
        elif snippet.language == "sh" and not line.strip().startswith("#") and line.strip():
            found.append(Command(snippet.document, snippet.line + offset, line, is_marked=bool(snippet.reason)))
        elif prompted:
            found.append(Command(snippet.document, snippet.line + offset, line[2:], shows=True, is_marked=bool(snippet.reason)))
        elif found and snippet.language == "console":
            found[-1].output.append(line)
        continued = line.endswith("\\") and (continued or prompted or snippet.language == "sh")
    for command in found:
        while command.output and not command.output[-1].strip(): command.output.pop()
    return found


class Programs:
    """The names that may be called."""

    def __init__(self, build, server):
        self.build, self.server = build, server
        self.makefile = open(os.path.join(ROOT, "Makefile"), encoding="utf-8").read()
        self.manifests = "".join(
            open(os.path.join(ROOT, folder, "Package.swift"), encoding="utf-8").read()
            for folder in ("", "Server", "Examples/ThumbnailServer"))

    def path(self, name):
        return os.path.join(self.server if name in ("calotype-server", "ThumbnailServer") else self.build, name)

    @functools.lru_cache(maxsize=None)
    def help(self, *words):
        run = subprocess.run([self.path(words[0]), *words[1:], "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             stdin=subprocess.DEVNULL, text=True, errors="replace")
        return run.stdout

    def has(self, name):
        """Whether it is a program of ours."""
        return name in ("calotype", "calotype-server") or "/" not in name and os.access(self.path(name), os.X_OK)

    @functools.cached_property
    def all_options(self):
        """The options of all programs."""
        found = set(OTHERS)
        def visit(*words):
            found.update(self.options(list(words)))
            for word in re.findall(r"^  ([a-z]+)  ", self.help(*words).partition("SUBCOMMANDS:")[2], re.M): visit(*words, word)
        visit("calotype")
        found.update(self.options(["calotype-server", "url"]))
        for name in ("calotype-benchmarks", "calotype-soak", "TiersSimulation"):
            if self.has(name): found.update(self.options([name]))
        return found

    def check_option(self, option):
        if option not in self.all_options: raise Failure(f"no program of ours has an option {option}")

    @functools.cached_property
    def variables(self):
        """The variables that are read: those of the server are its options, others stand in code."""
        run = subprocess.run(["grep", "-rhoE", "--include=*.swift", "--include=*.py", "--include=*.sh", "--include=*.c", "--include=Makefile",
                              "--exclude-dir=.build", "--exclude-dir=Snippets", "CALOTYPE_[A-Z0-9_]+", "Makefile", "Sources", "Server", "Tests", "Benchmarks"],
                             cwd=ROOT, stdout=subprocess.PIPE, text=True)
        return set(run.stdout.split()) | {"CALOTYPE_" + o[2:].upper().replace("-", "_") for o in self.options(["calotype-server"])}

    def check_variables(self, text):
        for name in re.findall(r"CALOTYPE_[A-Z0-9_]+", text):
            if name not in self.variables and name.removesuffix("_FILE") not in self.variables:
                raise Failure(f"nothing reads a variable {name}")

    def options(self, words):
        """The options that a call may have."""
        name = words[0]
        if name == "calotype-server":
            text = self.help(name) + (self.help(name, words[1]) if words[1:2] == ["url"] else "")
        elif name == "calotype":
            known = [name]
            for word in words[1:]:
                if not re.search(rf"^  {re.escape(word)}  ", self.help(*known).partition("SUBCOMMANDS:")[2], re.M): break
                known.append(word)
            if words[1:2] == ["help"]: return self.options(["calotype", *words[2:]])
            if len(known) == 1 and words[1:] and not words[1].startswith("-"):
                raise Failure(f"calotype has no command {words[1]}; see calotype --help")
            if "SUBCOMMANDS:" in self.help(*known) and len(words) > len(known) and not words[len(known)].startswith("-"):
                raise Failure(f"{' '.join(known)} has no command {words[len(known)]}; see {' '.join(known)} --help")
            text = self.help(*known)
        else:
            text = self.help(name)
        return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text)) | {"--help"}

    def check(self, words):
        """Complains about what does not exist."""
        name = os.path.basename(words[0])
        options = [word.split("=")[0] for word in words[1:] if re.match(r"^--?[a-zA-Z]", word)]
        if name == "make": return self.check_make(words[1:])
        if name == "swift": return self.check_swift(words[1:])
        if self.has(name) and os.path.exists(self.path(name)):
            known = self.options([name, *words[1:]])
            for option in options:
                if option not in known: raise Failure(f"{name} has no option {option}; see its --help")
        elif self.has(name):
            raise Failure(f"{self.path(name)} is missing: build it first")
        elif words[0].startswith(("Benchmarks/", "Tests/", "Server/", "Examples/", "DocC/", ".ci/")):
            path = os.path.join(ROOT, words[0])
            if not os.path.exists(path): raise Failure(f"there is no {words[0]}")
            text = open(path, encoding="utf-8").read()
            for option in options:
                if option not in text: raise Failure(f"{words[0]} has no option {option}")
        elif words[0].startswith(".build/"):
            raise Failure(f"there is no program {name} in {self.build}")
        for word in words[1:]:
            if re.match(r"^(Benchmarks|Tests|Server|Examples|Sources|DocC)/[\w./-]+$", word) and not os.path.exists(os.path.join(ROOT, word)):
                raise Failure(f"there is no {word}")

    def check_make(self, words):
        for word in words:
            if match := re.match(r"^([A-Z_]+)=", word):
                if not re.search(rf"^{match[1]} [?:]?=", self.makefile, re.M): raise Failure(f"the Makefile has no variable {match[1]}")
            elif re.match(r"^[a-z-]+$", word) and not re.search(rf"^{word}:", self.makefile, re.M):
                raise Failure(f"the Makefile has no target {word}; see make help")

    def check_swift(self, words):
        for option, value in zip(words, words[1:]):
            if option == "--product" and f'name: "{value}"' not in self.manifests: raise Failure(f"no package has a product {value}")
            if option == "--traits":
                for trait in value.split(","):
                    if not re.search(rf'\.trait\(\s*name: "{trait}"', self.manifests): raise Failure(f"no package has a trait {trait}")
            if option == "--package-path" and not os.path.exists(os.path.join(ROOT, value, "Package.swift")):
                raise Failure(f"there is no package in {value}")


def is_assignment(command):
    return not command.calls and re.match(r"^\w+=", command.text) is not None


def is_run(command):
    calls = command.calls
    if command.is_marked: return False
    if is_assignment(command): return True
    return (bool(calls) and not PLACEHOLDER.search(re.sub(r"[$]?CALOTYPE_\w+", "", command.text))
            and all(os.path.basename(call[0]) in RUN | FILES for call in calls)
            and not any(word.startswith(("/", "~")) for call in calls if call[0] in FILES for word in call)
            and not any(call[0] == "calotype" and set(call[1:2]) & TERMINAL for call in calls))


def starts_server(command):
    """Whether it serves until it is ended."""
    first = command.calls[0] if command.calls else [""]
    return os.path.basename(first[0]) == "calotype-server" and (len(first) == 1 or first[1].startswith("-"))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


WRAPPER = """#!/usr/bin/env bash
# The programs of the build. They ask this machine for the photos, where pages say https://example.org or 127.0.0.1:8787, and for
# what pages say that 127.0.0.1:8080 answers.
here() {{ sed -E 's#https://example[.]org|http://127[.]0[.]0[.]1:8787#http://127.0.0.1:{origin}#g; s#127[.]0[.]0[.]1:8080#127.0.0.1:{server}#g'; }}
for word; do
  if [[ $word == *.txt && -f $word ]]; then
    here <"$word" >"$word.here"
    word=$word.here
  fi
  words+=("$(here <<<"$word")")
done
if [[ " $* " == *" - "* ]]; then
  here | exec "{program}" "${{words[@]}}"
else
  exec "{program}" "${{words[@]}}"
fi
"""
SCRIPT = """set -o pipefail
ready() {
  for _ in $(seq 200); do
    curl -o /dev/null "http://127.0.0.1:8080/health" 2>/dev/null && return
    sleep 0.1
  done
  echo "the server does not answer" >&2
  return 1
}
finish() { local jobs; jobs=$(jobs -p); [ -z "$jobs" ] || { kill $jobs; wait; } 2>/dev/null; }
trap finish EXIT
"""


class Place:
    """A folder with the photos, in which the commands of one page are run, beside a server of the photos."""

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.home = os.path.join(folder, "home")
        self.server_port = free_port()
        photos = os.path.join(folder, "calotype", "Examples", "Photos")
        shutil.copytree(os.path.join(ROOT, "Examples", "Photos"), photos)
        os.mkdir(self.home)

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments): super().__init__(*arguments, directory=photos)
            def log_message(self, *_): pass
        self.origin = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.origin.serve_forever, daemon=True).start()
        tools = os.path.join(folder, "tools")
        os.mkdir(tools)
        for name in ("calotype", "calotype-server", "curl"):
            self.wrap(os.path.join(tools, name), shutil.which("curl") if name == "curl" else programs.path(name))
        self.work = os.path.join(folder, "work")
        self.work_of_server = os.path.join(folder, "calotype", "Server")
        for here in (self.work, self.work_of_server):
            shutil.copytree(photos, here)
            self.write_files(here)
        build = os.path.join(self.work_of_server, ".build", "release")
        os.makedirs(build)
        os.symlink(os.path.join(tools, "calotype-server"), os.path.join(build, "calotype-server"))
        self.environment = {
            "PATH": f"{tools}:{os.environ['PATH']}", "HOME": self.home, "LANG": "C.UTF-8", "CURL_HOME": self.home, "TMPDIR": folder,
            "CALOTYPE_STOP_DELAY": "0", "CALOTYPE_GRACEFUL_STOP_TIMEOUT": "1"}
        with open(os.path.join(self.home, ".curlrc"), "w") as file: file.write("silent\nshow-error\nfail\n")

    def write_files(self, work):
        """The files that lines of pages read besides photos."""
        with gzip.open(os.path.join(work, "access.log.gz"), "wt") as file:
            for name in ("stream", "mountains", "dandelion"):
                file.write(f'192.0.2.1 - - [01/Jan/2026] "GET https://example.org/{name}.jpg HTTP/1.1" 200\n')
        with open(os.path.join(work, "imgproxy.env"), "w") as file:
            # Those of imgproxy's documentation.
            file.write("IMGPROXY_KEY=943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881\n"
                       "IMGPROXY_SALT=520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5\n")

    def wrap(self, path, program):
        with open(path, "w", encoding="utf-8") as file:
            file.write(WRAPPER.format(program=program, origin=self.origin.server_address[1], server=self.server_port))
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def close(self):
        self.origin.shutdown()
        self.origin.server_close()

    def run(self, document, group, needs_server):
        """Runs commands in one shell; returns what each printed, and its status."""
        lines = [SCRIPT, "last=0"]
        if needs_server:
            lines.append("calotype-server --bind 127.0.0.1:8080 --allow-unsigned "
                         f"--local-filesystem-root '{self.folder}/calotype/Examples/Photos' >/dev/null 2>&1 &\nready")
        for number, command in enumerate(group):
            lines.append(f"echo '=== begin {number}'")
            text = command.text
            if starts_server(command):
                text = re.sub(r"\s*&?\s*$", "", text.split("  #")[0]) + f" >'{self.folder}/server.log' 2>&1 &\nready"
            lines += ["(exit $last)", text, f"last=$?; printf '\\n=== end {number} %s\\n' $last"]
        here = self.work_of_server if document.startswith("Server/") else self.work
        process = subprocess.Popen(["bash", "-c", "\n".join(lines)], cwd=here, env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
        try:
            output = process.communicate(timeout=SECONDS)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            output = process.communicate()[0]
        told = "http://127.0.0.1:8787" if any("127.0.0.1:8787" in command.text for command in group) else "https://example.org"
        output = output.replace(f"http://127.0.0.1:{self.origin.server_address[1]}", told)
        output = output.replace(f"127.0.0.1:{self.server_port}", "127.0.0.1:8080").replace(self.home, "/home/me")
        results = {}
        for match in re.finditer(r"^=== begin (\d+)\n(.*?)\n=== end \1 (\d+)$", output, re.M | re.S):
            results[int(match[1])] = (match[2].splitlines(), int(match[3]))
        return [results.get(number, (output.splitlines()[-5:], -1)) for number in range(len(group))]


def normalised(line):
    return re.sub(r"\s+", " ", TIMES.sub("# s", line)).strip()


def joined(lines):
    """JSON that a page has in several lines is one."""
    result = []
    for line in lines:
        if result and result[-1].startswith("{") and result[-1].endswith(",") and line.startswith(" "): result[-1] += line.strip()
        else: result.append(line)
    return [normalised(line) for line in result]


def agrees(expected, actual):
    """Whether a line is printed as a page says, where … stands for anything."""
    return re.fullmatch(".*".join(re.escape(part) for part in expected.split("…")), actual) is not None


def difference(command, actual):
    expected, actual = joined(command.output), [normalised(line) for line in actual]
    while actual and not actual[-1]: actual.pop()
    pairs = (expected, actual)
    # Loads end in any order.
    if command.text.startswith("calotype get "): pairs = (sorted(expected), sorted(actual))
    if len(expected) == len(actual) and all(agrees(e, a) for e, a in zip(*pairs)): return None
    return "\n    ".join(["it prints:", *actual])


def check(snippets, spans, programs, own_programs):
    """The failures among commands, as document, line and text; and how many commands were run, and only looked at. Pages
    that build programs of their own have these by their document; what asks them is not run where they are started."""
    failures, run, looked = [], 0, 0
    pages = {}
    for snippet in snippets: pages.setdefault(snippet.document, []).append(commands(snippet))
    for document, groups in pages.items():
        runnable, own = [], own_programs.get(document, set())
        starts_own = any(name in command.text for group in groups for command in group for name in own)
        for group in groups:
            # A server that is not started here is not asked.
            is_served = not starts_own and not any(call[:2] == ["swift", "run"] for command in group for call in command.calls)
            chosen = []
            for command in group:
                try:
                    programs.check_variables(command.text)
                    for call in command.calls:
                        if os.path.basename(call[0]) not in own: programs.check(call)
                    if is_run(command) and (is_served or not any(call[0] == "curl" for call in command.calls)): chosen.append(command)
                    else: looked += 1
                except (Failure, ValueError) as error:
                    failures.append((document, command.line, str(error)))
            if any(os.path.basename(call[0]) in RUN - {"export"} for command in chosen for call in command.calls): runnable.append(chosen)
        if not runnable: continue
        with tempfile.TemporaryDirectory() as folder:
            place = Place(programs, folder)
            try:
                for group in runnable:
                    asks = any("127.0.0.1:8080" in command.text for command in group) and not any(map(starts_server, group))
                    for command, (actual, status) in zip(group, place.run(document, group, asks)):
                        run += 1
                        fails = any(re.match(r"^(calotype|error|curl)\S*:|\{\"error\"", line) for line in command.output)
                        if (status != 0) != fails:
                            failures.append((document, command.line, f"{command.text}\n    ends with {status}: " + "\n    ".join(actual)))
                        elif command.shows:
                            if text := difference(command, actual): failures.append((document, command.line, f"{command.text}\n    {text}"))
            finally:
                place.close()
    for span in spans:
        words = span.text.split()
        if not words or span.document.endswith(".swift"): continue
        try:
            programs.check_variables(span.text)
            if words[0].startswith("--"):
                programs.check_option(words[0].split("=")[0])
            elif len(words) > 1 and (words[0] in ("make", "swift") or programs.has(words[0]) or "| calotype " in span.text):
                for call in Command(span.document, span.line, span.text).calls: programs.check(call)
            else:
                continue
            looked += 1
        except (Failure, ValueError) as error:
            failures.append((span.document, span.line, str(error)))
    return failures, run, looked

