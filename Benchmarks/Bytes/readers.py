"""Reads files of the command with other programs: Pillow, libvips, djpeg, dwebp, ffmpeg and a headless Chromium, which must not warn.

CALOTYPE is the command, PICTURES the number of pictures of each kind (4). A reader that is not installed is left out, and named.
"""
import functools, html, http.server, itertools, json, os, shutil, subprocess, tempfile, threading, warnings
from PIL import Image
from pictures import pictures
from measures import command

CALOTYPE, COUNT = os.environ.get("CALOTYPE", "calotype"), int(os.environ.get("PICTURES", "4"))
EFFORTS = ("fast", "balanced", "small")


def ways():
    """Yields the arguments of all ways to encode, and the suffix of the file."""
    for quality, effort, sampling in itertools.product((5, 50, 90, 100), EFFORTS, ("4:2:0", "4:4:4", "auto")):
        yield ["--quality", str(quality), "--effort", effort, "--subsampling", sampling], ".jpg"
    for effort in EFFORTS:
        yield ["--effort", effort], ".png"
        yield ["--effort", effort], ".gif"
        yield ["--effort", effort, "--lossless"], ".webp"
        for quality in (5, 60, 100): yield ["--quality", str(quality), "--effort", effort], ".webp"
    yield ["--quality", "ssim2:70"], ".jpg"
    yield ["--quality", "ssim2:70"], ".webp"


def said(*words, input=None):
    """Returns what a program complains about; empty if it succeeds in silence."""
    ended = subprocess.run(words, input=input, capture_output=True)
    lines = ended.stderr.decode(errors="replace").splitlines()
    # ffmpeg says so of files of libjpeg-turbo as well, depending on the last bits of the scan.
    lines = [line for line in lines if "EOI missing, emulating" not in line]
    return "\n".join(lines).strip() or (f"exit {ended.returncode}" if ended.returncode else "")


def pillow(path):
    try:
        with Image.open(path) as picture:
            picture.load()
    except Exception as error: return repr(error)
    return ""


def vips(path):
    import pyvips
    try: pyvips.Image.new_from_file(path, fail_on="warning").avg()
    except pyvips.Error as error: return str(error)
    return ""


def readers():
    found = {"Pillow": (pillow, (".jpg", ".png", ".gif", ".webp"))}
    try:
        import pyvips
        found["libvips"] = (vips, (".jpg", ".png", ".gif", ".webp"))
    except ImportError: print("no pyvips: libvips is left out")
    for name, words, kinds in (("djpeg", ["djpeg", "-outfile", "/dev/null"], (".jpg",)), ("dwebp", ["dwebp", "-quiet", "-o", "/dev/null"], (".webp",)),
                               ("ffmpeg", ["ffmpeg", "-v", "warning", "-f", "null", "-", "-i"], (".jpg", ".png", ".gif", ".webp"))):
        if not shutil.which(name): print(f"no {name}: it is left out"); continue
        order = (lambda words, path: [words[0], "-v", "warning", "-i", path, "-f", "null", "-"]) if name == "ffmpeg" else (lambda words, path: words + [path])
        found[name] = (functools.partial(lambda words, order, path: said(*order(words, path)), words, order), kinds)
    return found


def chromium(paths, sizes, folder):
    """Returns the names of files that a browser cannot decode, or shows in another size."""
    results, answered = {}, threading.Event()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *words): super().__init__(*words, directory=folder)

        def log_message(self, *_): pass

        def do_POST(self):
            for name, width, height in json.loads(self.rfile.read(int(self.headers["Content-Length"]))): results[name] = (width, height)
            self.send_response(204)
            self.end_headers()
            answered.set()

    items = "".join(f'<img src="{html.escape(os.path.basename(path))}">' for path in paths)
    with open(os.path.join(folder, "all.html"), "w") as file:
        file.write(f"""<body>{items}<script>
          Promise.all([...document.images].map(i => i.decode().then(() => [i.getAttribute('src'), i.naturalWidth, i.naturalHeight],
            () => [i.getAttribute('src'), 0, 0]))).then(all => fetch('/done', {{method: 'POST', body: JSON.stringify(all)}}))</script>""")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = subprocess.Popen(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", f"--user-data-dir={folder}/profile",
                                f"http://127.0.0.1:{server.server_address[1]}/all.html"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    answered.wait(300)
    browser.kill()
    browser.wait()
    server.shutdown()
    server.server_close()
    if not results: return ["the page itself"]
    return [os.path.basename(path) for path in paths if results.get(os.path.basename(path)) != sizes[path]]


def main(prints):
    warnings.simplefilter("error")
    found, complaints, counts = readers(), [], {}
    with tempfile.TemporaryDirectory() as folder:
        taken, made, sizes = {}, [], {}
        for kind, name, picture in pictures("photo", "graphic", "made", mode=None):
            if taken.setdefault(kind, 0) == COUNT: continue
            taken[kind] += 1
            source = os.path.join(folder, "source.png")
            picture.save(source)
            for number, (arguments, suffix) in enumerate(ways()):
                path = os.path.join(folder, f"{kind}-{name}-{number}{suffix}")
                command(CALOTYPE, "convert", source, path, *arguments)
                made.append(path)
                sizes[path] = picture.size
        for reader, (read, suffixes) in found.items():
            for path in made:
                if not path.endswith(suffixes): continue
                counts[reader] = counts.get(reader, 0) + 1
                complaint = read(path)
                if complaint: complaints.append(f"{reader}: {os.path.basename(path)}: {complaint}")
        if shutil.which("chromium"):
            for start in range(0, len(made), 50):
                part = made[start:start + 50]
                counts["Chromium"] = counts.get("Chromium", 0) + len(part)
                complaints += [f"Chromium: {name}" for name in chromium(part, sizes, folder)]
        else: print("no chromium: it is left out")
    print(", ".join(f"{reader} read {count} files" for reader, count in counts.items()) + f"; {len(complaints)} complaints")
    for complaint in complaints[:40]: print("  " + complaint)
    if complaints: raise SystemExit(1)
