#!/usr/bin/env python3
"""Writes Benchmarks/RESULTS.md and its plots from measurements, and the short table of the README.

usage: results.py [--rounds N] [--only SECTION] [--keep] [--rows NAME] BUILD-FOLDER

Sections: benchmarks, avx2, growth, nodes. BUILD-FOLDER has calotype-benchmarks, calotype and TiersSimulation. `--keep` takes what an
earlier run has left in Benchmarks/.build/results for the sections that are not measured now; `--rows` measures rows of `benchmarks` whose
names begin so again, and keeps the others. Bytes at equal quality and the image
server have programs of their own: `make bench-bytes` and `make bench-server`.
"""
import argparse, json, math, os, platform, re, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, ".build", "results")
PLOTS = os.path.join(HERE, "..", "DocC", "Calotype.docc", "Resources")
SECTIONS = ["benchmarks", "avx2", "growth", "nodes"]

# The beginnings of names, the titles of their tables, and remarks.
GROUPS = [
    ("thumbnail/", "Thumbnails in a process", "From bytes in memory to 320×240 pixels."),
    ("process/", "Thumbnails by whole processes", "From file to file, with start and end of the program."),
    ("resize/", "Resizing", "Bitmaps in memory. fast_image_resize and Calotype use the same instruction set."),
    ("jpeg/", "JPEG", ""), ("png/", "PNG", ""), ("webp/", "WebP", ""), ("gif/", "GIF", ""), ("apng/", "APNG", ""), ("avif/", "AVIF", ""),
    ("jxl/", "JPEG XL", ""), ("heif/", "HEIF", ""), ("bmp/", "BMP", ""),
    ("playback/", "Playback", ""), ("memory/", "Memory at the peak of a decode", "MiB besides the output; the bar is in MiB as well."),
    ("cache/", "Caches", ""), ("pipeline/", "Pipeline", ""), ("loading/", "Loading", "Whole processes, from start to end."),
    ("batch/", "A batch of 500 photographs", ""), ("isolation/", "Isolation", ""), ("load/", "Under load", ""),
]

# Rows that are measured again with vectors of 256 bits.
AVX2 = ["thumbnail/jpeg", "thumbnail/png", "resize/4000×3000 to"]


def run(words, note=lambda rows: None, **environment):
    """Prints the lines of a program while they come, and returns its objects; `note` gets those that are there."""
    found = []
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
    for line in process.stdout:
        if not line.startswith("{"): continue
        row = json.loads(line)
        found.append(row)
        note(found)
        print("  " + (row.get("name") or f"{row.get('curve')} {row.get('size')}") + (f"  {row['ratio']:.3f}" if "ratio" in row else ""), flush=True)
    if process.wait(): sys.exit(f"{' '.join(words)} ended with {process.returncode}")
    return found


def measure(section, build, rounds):
    start = time.time()
    note = lambda rows: keep(section, {"rows": rows, "seconds": time.time() - start, "rounds": rounds})
    if section == "benchmarks": rows = run([f"{build}/calotype-benchmarks", "--json", "--rounds", str(rounds)], note)
    elif section == "avx2":
        rows = run([f"{build}/calotype-benchmarks", "--json", "--rounds", str(rounds), "--last", os.path.join(FOLDER, "avx2.last"), *AVX2], note, CALOTYPE_SIMD="256")
    elif section == "growth": rows = run([f"{build}/calotype-benchmarks", "--growth"], note)
    else:
        rows = []
        for nodes in (2, 3, 10, 30, 100, 300, 1000):
            begin = os.times()
            # 1 when a bar is missed, which the table says.
            text = subprocess.run([f"{build}/TiersSimulation", "--nodes", str(nodes), "--seeds", "1", "--short", "--json"], stdout=subprocess.PIPE, text=True).stdout
            end = os.times()
            seconds = end.children_user + end.children_system - begin.children_user - begin.children_system
            rows.append({"nodes": nodes, "seconds": seconds, "bars": json.loads(text)["bars"]})
            print(f"  {nodes} nodes  {seconds:.1f} s", flush=True)
    data = {"rows": rows, "seconds": time.time() - start, "rounds": rounds}
    keep(section, data)
    return data


def measure_again(names, build, rounds):
    """Replaces the rows of an earlier run whose names begin so."""
    data = kept("benchmarks") or sys.exit("there are no rows of an earlier run")
    fresh = {row["name"]: row for row in run([f"{build}/calotype-benchmarks", "--json", "--rounds", str(rounds), "--last", os.path.join(FOLDER, "again.last"), *names])}
    data["again"] = sorted(set(data.get("again", [])) | set(fresh))
    rows = [fresh.pop(row["name"], row) for row in data["rows"]]
    data["rows"] = rows + list(fresh.values())
    keep("benchmarks", data)
    return data


def keep(section, data):
    """Keeps the rows of a run, also of one that is interrupted, for --keep."""
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(FOLDER, section + ".json"), "w") as file: json.dump(data, file)


def kept(section):
    path = os.path.join(FOLDER, section + ".json")
    return json.load(open(path)) if os.path.exists(path) else None


def first_line(*words):
    try: return (subprocess.run(words, capture_output=True, text=True).stdout or "").strip().splitlines()[0]
    except (OSError, IndexError): return ""


def machine():
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    memory = int(re.search(r"MemTotal:\s+(\d+)", open("/proc/meminfo").read())[1]) // (1 << 20)
    return f"{cpu}, {os.cpu_count()} processors, {memory} GiB; Linux {platform.release().split('-')[0]}; {first_line('swift', '--version') or 'Swift'}"


def versions():
    """Versions of the peers that are there."""
    found = []
    for name, words in (("libvips", ("vipsthumbnail", "--vips-version")), ("curl", ("curl", "--version")), ("GraphicsMagick", ("gm", "version")),
                        ("ImageMagick", ("convert", "-version"))):
        line = first_line(*words)
        found.append(f"{name}: {re.sub(r'  +', ' ', line)[:60]}" if line else f"{name}: not installed")
    peers = os.path.join(HERE, ".build", "peers", "bin", "pip")
    if os.path.exists(peers): found.append("PyPI: " + ", ".join(sorted(subprocess.run([peers, "list", "--format", "freeze"], capture_output=True, text=True).stdout.split())))
    return found


def number(value): return f"{value:.2f}" if value < 100 else f"{value:,.0f}"


def amount(row):
    if "ms" in row: return f"{number(row['ms'])} ms", f"{number(row['limitMs'])} ms"
    if "perSecond" in row: return f"{number(row['perSecond'])}/s", f"{number(row['limitPerSecond'])}/s"
    if "value" in row: return f"{number(row['value'])} {row['unit']}", f"{number(row['limitValue'])} {row['unit']}"
    return f"{row['growth'] / 2**20:.1f} MiB", f"{row['output'] / 2**20:.1f} MiB of output"


def ratio(row):
    if "overheadMiB" in row: return row["overheadMiB"]
    if "perSecond" in row: return row["limitPerSecond"] / row["perSecond"]
    return row.get("ratio")


# Foreign programs and libraries. Other limits are floors, amounts, and other work of Calotype.
PEERS = re.compile(r"vips|pillow|opencv|resize-|magick|curl|AsyncHTTPClient|NSCache|Dictionary|Foundation|imagecodecs|ffmpeg|lib[a-z]|turbojpeg|spng|giflib|dav1d|DGif|WebP(Anim|Dec|Enc)|tj(De)?compress", re.IGNORECASE)


def loses(row):
    """Whether a peer takes less, by more than the noise of two percent."""
    return bool(PEERS.search(row.get("limit", ""))) and "overheadMiB" not in row and (ratio(row) or 0) > 1.02


def table(rows):
    lines = ["| row | Calotype | peer | ratio | ± | bar |", "|---|---|---|---|---|---|"]
    for row in rows:
        if "skipped" in row:
            lines.append(f"| {row['name']} | | not had: {row['skipped']} | | | |")
            continue
        ours, theirs = amount(row)
        mark = "" if row.get("kept", True) else " **missed**"
        spread = f"{row['spread']:.2f}" if "spread" in row else ""
        bytes_ = f"; {row['bytes']:,} of {row['limitBytes']:,} bytes" if "limitBytes" in row else ""
        lines.append(f"| {row['name']} | {ours} | {row.get('limit', '')} {theirs}{bytes_} | **{ratio(row):.2f}** | {spread} | {row.get('bar', '')}{mark} |")
    return "\n".join(lines)


def exponent(points):
    """The slope of the logarithms over the larger half, where constant costs matter less."""
    points = [(x, y) for x, y in points if x > 0 and y > 0][-max(3, (len(points) + 1) // 2):]
    if len(points) < 2: return 0.0
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)


COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2"]


def plot(path, title, axis, curves):
    """Lines over two logarithmic axes, as SVG that is read on light and dark pages."""
    width, height, left, right, top, bottom = 720, 420, 70, 210, 40, 50
    xs = [x for points in curves.values() for x, _ in points]
    ys = [y for points in curves.values() for _, y in points if y > 0]
    lx, hx, ly, hy = math.log10(min(xs)), math.log10(max(xs)), math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))
    px = lambda x: left + (math.log10(x) - lx) / max(hx - lx, 1e-9) * (width - left - right)
    py = lambda y: height - bottom - (math.log10(y) - ly) / max(hy - ly, 1e-9) * (height - top - bottom)
    unit = lambda v: (f"{10 ** v:g} ms" if v < 3 else f"{10 ** (v - 3):g} s")
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" fill="#808080">',
           f"<title>{title}</title>", f'<text x="{left}" y="22" font-size="15">{title}</text>']
    for v in range(ly, hy + 1):
        out.append(f'<path d="M{left} {py(10 ** v):.1f}H{width - right}" stroke="#808080" stroke-opacity=".3"/><text x="{left - 6}" y="{py(10 ** v) + 4:.1f}" text-anchor="end">{unit(v)}</text>')
    for v in range(math.ceil(lx - 1e-9), math.floor(hx + 1e-9) + 1):
        out.append(f'<path d="M{px(10 ** v):.1f} {top}V{height - bottom}" stroke="#808080" stroke-opacity=".3"/><text x="{px(10 ** v):.1f}" y="{height - bottom + 18}" text-anchor="middle">{10 ** v:,}</text>')
    out.append(f'<text x="{(left + width - right) / 2}" y="{height - 10}" text-anchor="middle">{axis}</text>')
    for index, (name, points) in enumerate(curves.items()):
        colour = COLOURS[index % len(COLOURS)]
        line = " ".join(f"{px(x):.1f},{py(y):.1f}" for x, y in points if y > 0)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{px(x):.1f}" cy="{py(y):.1f}" r="3" fill="{colour}"/>' for x, y in points if y > 0]
        out.append(f'<rect x="{width - right + 14}" y="{top + 20 * index - 9}" width="12" height="3" fill="{colour}"/><text x="{width - right + 32}" y="{top + 20 * index - 3}">{name}: {exponent(points):.2f}</text>')
    with open(path, "w") as file: file.write("\n".join(out) + "\n</svg>\n")


AXES = {"pixels": "thousands of pixels", "requests": "callers at the same time", "entries": "entries", "urls": "URLs", "frames": "frames"}
# The reasons of exponents that are not those of the work.
REASONS = {
    "pixels/thumbnail jpeg": "the decoder scales large pictures down in the frequency domain, to a size between the thumbnail's and twice that",
    "entries/10,000 memory hits": "the table of a million entries is larger than the caches of the processor: each hit waits for memory",
    "entries/1,000 disk hits": "the directories of more records are deeper in the page cache",
}


def write(data):
    out = ["# Results", "",
           f"Made by `make results` (`Benchmarks/results.py`) on {time.strftime('%Y-%m-%d')}: {machine()}.", "",
           "Times are processor time, user and system, of all threads. Calotype and its peer take turns in one run; the ratio is the median of",
           "the ratios of neighbouring turns, ± half the distance of their quartiles. **Less than 1 is less time than the peer's**; for amounts",
           "a second too, the ratio is turned so that less is better. Files, peers and rules are described in [README.md](README.md). A bar is",
           "the ratio that a row has to keep.", ""]
    rows = data["benchmarks"]["rows"] if data.get("benchmarks") else []
    if rows:
        measured = [row for row in rows if "skipped" not in row]
        barred = [row for row in measured if "kept" in row]
        missed = [row for row in barred if not row["kept"]]
        out += [f"{len(measured)} rows were measured with {data['benchmarks']['rounds']} rounds in {data['benchmarks']['seconds'] / 60:.0f} minutes, and {len(rows) - len(measured)} could not be; "
                + (f"{len(data['benchmarks']['again'])} of them were measured again later; " if data["benchmarks"].get("again") else "")
                + f"{len(barred) - len(missed)} of {len(barred)} bars are kept.", ""]
        worse = sorted((row for row in measured if loses(row)), key=ratio, reverse=True)
        if worse:
            out += ["## Where Calotype loses", "", "Rows whose peer takes less. Floors, such as reading the pixels once, and other work of Calotype are no peers.", "", table(worse), ""]
            notes = os.path.join(HERE, "losses.md")
            if os.path.exists(notes): out += [open(notes).read().strip(), ""]
        for prefix, title, remark in GROUPS:
            group = [row for row in rows if row["name"].startswith(prefix)]
            if group: out += [f"## {title}", ""] + ([remark, ""] if remark else []) + [table(group), ""]
            if prefix == "resize/" and data.get("avx2"):
                out += ["## Held to AVX2", "", "Thumbnails and resizing again with `CALOTYPE_SIMD=256`, which holds Calotype and fast_image_resize to vectors of 256 bits.", "",
                        table(data["avx2"]["rows"]), ""]
        rest = [row for row in rows if not row["name"].startswith(tuple(prefix for prefix, *_ in GROUPS))]
        if rest: out += ["## Others", "", table(rest), ""]
    if data.get("growth"):
        out += ["## Growth", "", "The cost of work as it grows. The exponent is the slope of the larger half on logarithmic axes: 1 is linear, 0 is constant.", ""]
        curves = {}
        for row in data["growth"]["rows"]: curves.setdefault(row["curve"], []).append((row["size"], row["milliseconds"]))
        lines = ["| work | sizes | smallest | largest | exponent | |", "|---|---|---|---|---|---|"]
        for axis, label in AXES.items():
            group = {name.split("/", 1)[1]: points for name, points in curves.items() if name.startswith(axis + "/")}
            if not group: continue
            plot(os.path.join(PLOTS, f"growth-{axis}.svg"), f"Cost by {label}", label, group)
            out += [f"![Cost by {label}](../DocC/Calotype.docc/Resources/growth-{axis}.svg)", ""]
            for name, points in group.items():
                lines.append(f"| {name} | {points[0][0]:,} to {points[-1][0]:,} {label} | {number(points[0][1])} ms | {number(points[-1][1])} ms | {exponent(points):.2f} | {REASONS.get(f'{axis}/{name}', '')} |")
        out += lines + [""]
    if data.get("nodes"):
        points = [(row["nodes"], 1000 * row["seconds"]) for row in data["nodes"]["rows"] if row["seconds"] > 0]
        plot(os.path.join(PLOTS, "growth-nodes.svg"), "Cost of the simulation by nodes", "simulated nodes", {"simulation": points})
        out += ["## Nodes", "", "![Cost of the simulation by nodes](../DocC/Calotype.docc/Resources/growth-nodes.svg)", "",
                "The whole simulation of shared tiers (`make tiers`, short), with as many requests a second for each node: linear is in proportion. Its bars are those",
                "of 20 nodes and more seeds.", "", "| nodes | processor time | bars kept | missed |", "|---|---|---|---|"]
        for row in data["nodes"]["rows"]:
            missed = [f"{bar['bar']}: {bar['value']:.2f} of {bar['limit']:.2f}" for bar in row["bars"] if not bar["holds"]]
            out.append(f"| {row['nodes']:,} | {row['seconds']:.1f} s | {len(row['bars']) - len(missed)} of {len(row['bars'])} | {'; '.join(missed)} |")
        out.append("")
    out += ["## Bytes and the server", "",
            "[Bytes/README.md](Bytes/README.md) has bytes at equal quality beside other encoders, and [Tiers/](Tiers) the simulation of nodes.",
            "`make bench-server` measures the image server beside thumbor, a server on libvips and one that only sends.", "",
            "## Versions", ""] + [f"* {line}" for line in versions()] + [""]
    with open(os.path.join(HERE, "RESULTS.md"), "w") as file: file.write("\n".join(out))
    if rows: update_readme({row["name"]: row for row in rows})


# Rows of the table of the README, in words.
SHORT = [
    ("thumbnail/jpeg baseline 12 MP", "thumbnail of a JPEG of 12 megapixels"), ("thumbnail/png 12 MP", "of a PNG"), ("thumbnail/webp lossy 12 MP", "of a WebP"),
    ("process/jpeg baseline 12 MP", "the same by whole programs"),
    ("resize/4000×3000 to 800×600/lanczos3/opaque by fir-best", "resize 4000×3000 to 800×600, Lanczos"),
    ("pipeline/memory hit/image(for:)", "hit of the memory cache"), ("loading/small 2000x50KB 64 concurrent/curl", "2,000 downloads of 50 KB"),
    ("batch/500 jpegs 1-3 MP to 320 px/pyvips + pycurl, 2 threads", "500 photographs from a server to thumbnails"),
]


def update_readme(rows):
    path = os.path.join(HERE, "..", "README.md")
    text = open(path).read()
    begin, end = "<!-- results -->\n", "<!-- /results -->\n"
    if begin not in text: return
    lines = ["| work | peer | processor time, of the peer's |", "|---|---|---|"]
    for name, words in SHORT:
        row = rows.get(name)
        if row and "ratio" in row: lines.append(f"| {words} | {row['limit']} | {row['ratio']:.2f} |")
    text = text[: text.index(begin) + len(begin)] + "\n".join(lines) + "\n" + text[text.index(end):]
    with open(path, "w") as file: file.write(text)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=SECTIONS, action="append")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--rows", action="append")
    arguments = parser.parse_args()
    data = {}
    for section in SECTIONS:
        if not arguments.only or section in arguments.only:
            if arguments.keep and not arguments.only and kept(section): data[section] = kept(section)
            else:
                print(section, flush=True)
                data[section] = measure(section, arguments.build, arguments.rounds)
        elif arguments.keep: data[section] = kept(section)
    if arguments.rows: data["benchmarks"] = measure_again(arguments.rows, arguments.build, arguments.rounds)
    write(data)
    print(f"written: {os.path.relpath(os.path.join(HERE, 'RESULTS.md'))}")


if __name__ == "__main__": main()
