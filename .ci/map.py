#!/usr/bin/env python3
"""Draws the targets of the package and the folders of each target, from the code itself.

    .ci/map.py           writes the drawings
    .ci/map.py --check   fails on a cycle of folders, on a cycle of more than four files, and when a drawing is out of date

An arrow goes from a folder to another whose types it names. Types are those that are declared at the top of a file; a name
counts where it is not a member, not a type nested in the type around it, and not a generic parameter. Comments and the text
of string literals do not count, their interpolations do.
"""
import json
import os
import re
import subprocess
import sys
from xml.sax.saxutils import escape

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUTPUT = os.path.join(ROOT, "DocC", "Calotype.docc", "Resources")
LARGEST_FILE_CYCLE = 4
# Targets that may have cycles still. To be empty.
ALLOWED = set()
# A server that depends on the former builds none of the latter.
SERVER = ("Calotype", "CalotypeObservability")
NOT_FOR_SERVERS = {"CalotypeDisplay", "CalotypeTerminal", "CalotypeTestKit", "CalotypeLibraryCoders", "CalotypeCLI"}

# Code ---------------------------------------------------------------------------------------------------------------

TOKEN = re.compile(r"""//[^\n]*|/\*|\#*"(?:"")?|`?[A-Za-z_]\w*`?|[{}()\[\]<>.:;,=&?!\n]|->|\S""")
KINDS = {"class", "struct", "enum", "actor", "protocol", "typealias", "extension", "associatedtype", "func"}
NOMINAL = {"class", "struct", "enum", "actor", "protocol", "typealias"}
MEMBERS = {"func", "var", "let", "init", "subscript", "case", "deinit"}
MODIFIERS = {"public", "package", "internal", "open", "final", "indirect", "nonisolated", "private", "fileprivate"}


def tokens(text):
    """The tokens of Swift code, without comments and the text of string literals."""
    at, end = 0, len(text)
    interpolations = []  # depth of parentheses, and the delimiter to go back to
    depth = 0
    while at < end:
        match = TOKEN.search(text, at)
        if not match:
            return
        token, at = match.group(), match.end()
        if token.startswith("//"):
            continue
        if token == "/*":
            level = 1
            while level and at < end:
                edge = re.compile(r"/\*|\*/").search(text, at)
                if not edge:
                    return
                level += 1 if edge.group() == "/*" else -1
                at = edge.end()
            continue
        if token == "(":
            depth += 1
        elif token == ")":
            if interpolations and interpolations[-1][0] == depth:
                delimiter = interpolations.pop()[1]
                depth -= 1
                at, opened = literal(text, at, delimiter)
                if opened:
                    depth += 1
                    interpolations.append((depth, delimiter))
                continue
            depth -= 1
        if token.endswith('"'):
            at, opened = literal(text, at, token)
            if opened:
                depth += 1
                interpolations.append((depth, token))
            continue
        yield token


def literal(text, at, delimiter):
    """Skips the text of a literal. Returns where it ends, and whether an interpolation begins there."""
    hashes = len(delimiter) - len(delimiter.lstrip("#"))
    quotes = delimiter[hashes:]
    if quotes == '""':  # an empty literal
        return at, False
    stop = re.compile(r"\\" + "#" * hashes + r"\(|\\" + "#" * hashes + r"[^(]|" + quotes + "#" * hashes)
    while True:
        match = stop.search(text, at)
        if not match:
            return len(text), False
        at = match.end()
        if match.group().endswith("(") and match.group().startswith("\\"):
            return at, True
        if match.group().startswith('"'):
            return at, False


class Source:
    """One file: the types that it declares at its top, nested types, and the names that it uses."""

    def __init__(self, path):
        self.path = path
        self.types = {}  # name -> whether other files see it
        self.nested = {}  # type -> names of types in it, declared in this file
        self.uses = []  # (name, types around it)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.lines = text.count("\n")
        self.read([t for t in tokens(text)])

    def read(self, stream):
        scopes, pending, modifiers = [], None, set()
        # An extension that only declares types is a namespace for them, not a use of what it extends.
        namespace = None
        parameters = []  # generic parameters, with the depth that they belong to
        last = ""
        index = 0
        while index < len(stream):
            token = stream[index]
            index += 1
            if token == "\n":
                continue
            around = [scope for scope in scopes if scope]
            if token == "{":
                scopes.append(pending)
                pending = None
                if namespace and len(scopes) == 1:
                    namespace["isOpen"] = True
                modifiers = set()
            elif token == "}":
                if scopes:
                    scopes.pop()
                if namespace and not scopes:
                    if namespace["hasMembers"]:
                        self.uses.append((namespace["name"], ()))
                    namespace = None
                parameters = [p for p in parameters if p[1] <= len(scopes)]
            elif token in MODIFIERS:
                modifiers.add(token)
            elif namespace and namespace["isOpen"] and len(scopes) == 1 and token in MEMBERS and last != ".":
                namespace["hasMembers"] = True
            elif token in KINDS and last != ".":
                follower = next((t for t in stream[index:] if t != "\n"), "")
                if token == "class" and follower in {"func", "var", "let"}:
                    continue
                if not re.match(r"`?[A-Za-z_]", follower):
                    last = token
                    continue
                name = follower.strip("`")
                if token == "extension":
                    pending = name
                    if not scopes:
                        after = stream[stream.index(follower, index) + 1:]
                        after = [t for t in after[:4] if t != "\n"]
                        if after and after[0] == "{":
                            namespace = {"name": name, "hasMembers": False, "isOpen": False}
                            index = stream.index(follower, index) + 1
                elif token == "associatedtype":
                    if around:
                        self.nested.setdefault(around[-1], set()).add(name)
                elif token in NOMINAL:
                    if scopes:
                        if around:
                            self.nested.setdefault(around[-1], set()).add(name)
                    else:
                        self.types[name] = not modifiers & {"private", "fileprivate"}
                    if token != "typealias":
                        pending = name
                if token != "extension":
                    index = stream.index(follower, index) + 1
                    if index < len(stream) and stream[index] == "<":
                        depth, at, expects = 1, index + 1, True
                        while depth and at < len(stream):
                            part = stream[at]
                            if part == "<":
                                depth += 1
                            elif part == ">":
                                depth -= 1
                            elif part == "," and depth == 1:
                                expects = True
                            elif expects and re.match(r"[A-Za-z_]", part) and part != "each":
                                parameters.append((part, len(scopes) + (token != "func")))
                                expects = False
                            at += 1
                modifiers = set()
            elif re.match(r"[A-Z]", token) and last != ".":
                if token not in {p[0] for p in parameters}:
                    if stream[index:index + 1] == ["."] and re.match(r"[A-Z]", "".join(stream[index + 1:index + 2])):
                        token = f"{token}.{stream[index + 1]}"
                    self.uses.append((token, tuple(around + ([pending] if pending else []))))
            elif token in {";", "}"} or token in {"func", "var", "let", "init", "case", "import"}:
                modifiers = set()
            last = token


class Target:
    def __init__(self, name, folder, dependencies):
        self.name, self.folder, self.dependencies = name, folder, dependencies
        self.sources = []
        for place, folders, files in os.walk(folder):
            folders.sort()
            self.sources += [Source(os.path.join(place, f)) for f in sorted(files) if f.endswith(".swift")]
        self.lines = sum(source.lines for source in self.sources)
        self.homes, nested = {}, {}  # nested: (type, name of a type in it) -> its file
        for source in self.sources:
            for name, isSeen in source.types.items():
                if isSeen:
                    self.homes.setdefault(name, source)
            for name, names in source.nested.items():
                for inner in names:
                    nested.setdefault((name, inner), source)
        self.files, self.folders, self.reasons = {}, {}, {}
        for source in self.sources:
            self.folders.setdefault(self.facet(source), set())
            for name, around in source.uses:
                outer, _, inner = name.partition(".")
                if inner and (outer, inner) in nested:
                    home = nested[outer, inner]
                else:
                    inward = next((nested[o, outer] for o in reversed(around) if (o, outer) in nested), None)
                    home = inward or (None if outer in source.types else self.homes.get(outer))
                if not home or home is source:
                    continue
                self.files.setdefault(source, set()).add(home)
                one, other = self.facet(source), self.facet(home)
                if one != other:
                    self.folders[one].add(other)
                    self.reasons.setdefault((one, other), set()).add((self.short(source), name))

    def short(self, source):
        return os.path.relpath(source.path, self.folder)

    def facet(self, source):
        """The folder of a file: the first below that of the target."""
        return self.short(source).split(os.sep)[0] if os.sep in self.short(source) else "."

    def faults(self):
        result = []
        for cycle in components(self.folders):
            arrows = sorted(k for k in self.reasons if k[0] in cycle and k[1] in cycle)
            lines = [f"{self.name}: a cycle of the folders {', '.join(sorted(cycle))}"]
            for arrow in arrows:
                names = sorted(self.reasons[arrow])
                shown = ", ".join(f"{name} in {file}" for file, name in names[:6])
                lines.append(f"  {arrow[0]} → {arrow[1]}: {shown}{' …' if len(names) > 6 else ''}")
            result.append("\n".join(lines))
        for cycle in components(self.files, key=self.short):
            if len(cycle) > LARGEST_FILE_CYCLE:
                result.append(
                    f"{self.name}: a cycle of {len(cycle)} files: {', '.join(sorted(map(self.short, cycle)))}")
        return result


def components(graph, key=str):
    """The strongly connected components of more than one node (Tarjan)."""
    order, low, stack, found = {}, {}, [], []
    sys.setrecursionlimit(10_000)

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(graph.get(node, ()), key=key):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            component = []
            while not component or component[-1] != node:
                component.append(stack.pop())
            if len(component) > 1:
                found.append(component)

    for node in sorted(graph, key=key):
        if node not in order:
            visit(node)
    return found


# Layers -------------------------------------------------------------------------------------------------------------


def reduced(graph):
    """Without the arrows that follow from others."""
    reach = {}

    def below(node, seen):
        if node not in reach:
            result = set()
            for other in sorted(graph.get(node, ())):
                if other not in seen:
                    result |= {other} | below(other, seen | {node})
            reach[node] = result
        return reach[node]

    return {
        node: {o for o in sorted(others) if not any(o in below(p, {node}) for p in sorted(others) if p != o)}
        for node, others in sorted(graph.items())
    }


class Layout:
    """Nodes in layers, what they stand on below; long arrows go through points of their own in the layers between."""

    def __init__(self, graph, widths, gap=26, layer_gap=56, height=40):
        self.height, self.gap = height, gap
        inside = {node: set() for node in graph}
        for cycle in components(graph):
            for node in cycle:
                inside[node] = set(cycle)
        level = {}

        def layer(node, seen=()):
            if node not in level:
                level[node] = 1 + max(
                    [layer(o, seen + (node,)) for o in sorted(graph[node]) if o not in inside[node] and o not in seen],
                    default=-1)
            return level[node]

        for node in sorted(graph):
            layer(node)
        arrows = reduced(graph)
        self.widths = dict(widths)
        self.chains = []
        layers = [[] for _ in range(max(level.values(), default=-1) + 1)]
        for node in sorted(graph):
            layers[level[node]].append(node)
        above, below = {}, {}
        for one in sorted(graph):
            for other in sorted(arrows[one]):
                chain = [one]
                step = -1 if level[other] <= level[one] else 1
                for between in range(level[one] + step, level[other], step):
                    point = (one, other, between)
                    self.widths[point] = 8
                    layers[between].append(point)
                    chain.append(point)
                chain.append(other)
                self.chains.append(chain)
                for upper, lower in zip(chain, chain[1:]):
                    below.setdefault(upper, []).append(lower)
                    above.setdefault(lower, []).append(upper)
        place = {}

        def number():
            for nodes in layers:
                for index, node in enumerate(nodes):
                    place[node] = index / max(1, len(nodes) - 1) if len(nodes) > 1 else 0.5

        def crossings():
            total = 0
            for nodes, lower in zip(layers[1:], layers):
                where = {node: i for i, node in enumerate(lower)}
                ends = [where[o] for n in nodes for o in sorted(below.get(n, []), key=lambda o: where.get(o, 0)) if o in where]
                total += sum(a > b for i, a in enumerate(ends) for b in ends[i + 1:])
            return total

        number()
        best, fewest = [list(nodes) for nodes in layers], crossings()
        for sweep in range(24):
            order = range(len(layers)) if sweep % 2 else reversed(range(len(layers)))
            near = below if sweep % 2 else above
            for at in order:
                layers[at].sort(
                    key=lambda n: sum(place[o] for o in near[n]) / len(near[n]) if near.get(n) else place[n])
                number()
            if crossings() < fewest:
                best, fewest = [list(nodes) for nodes in layers], crossings()
        layers = best
        self.x = {}
        for nodes in layers:
            at = 0
            for node in nodes:
                self.x[node] = at + self.widths[node] / 2
                at += self.widths[node] + gap
        for turn in range(200):
            for nodes in layers if turn % 2 else reversed(layers):
                wanted = {}
                for node in nodes:
                    near = above.get(node, []) + below.get(node, [])
                    wanted[node] = sum(self.x[o] for o in near) / len(near) if near else self.x[node]
                self.arrange(nodes, wanted)
        # Parts that no arrow joins stand side by side, the largest first.
        parts = []
        for node in sorted(self.x, key=str):
            if any(node in part for part in parts):
                continue
            part, rest = set(), [node]
            while rest:
                one = rest.pop()
                if one not in part:
                    part.add(one)
                    rest += above.get(one, []) + below.get(one, [])
            parts.append(part)
        parts.sort(key=lambda part: -len(part))
        at = 0
        for part in parts:
            left = min(self.x[n] - self.widths[n] / 2 for n in part)
            right = max(self.x[n] + self.widths[n] / 2 for n in part)
            for node in part:
                self.x[node] += at - left
            at += right - left + gap
        self.y = {}
        for index, nodes in enumerate(reversed(layers)):
            for node in nodes:
                self.y[node] = index * (height + layer_gap) + height / 2
        self.size = (
            max((self.x[n] + self.widths[n] / 2 for n in self.x), default=0),
            len(layers) * (height + layer_gap) - layer_gap)

    def arrange(self, nodes, wanted):
        """Nearest to where they want to be, in their order, without overlaps: neighbours that collide move as one block."""
        blocks = []
        for node in nodes:
            offset = 0
            block = [[(node, 0)], wanted[node], 1, self.widths[node] / 2, self.widths[node] / 2]
            while blocks:
                before = blocks[-1]
                if before[1] + before[4] + self.gap <= block[1] - block[3]:
                    break
                blocks.pop()
                shift = before[4] + self.gap + block[3]
                members = before[0] + [(n, o + shift) for n, o in block[0]]
                count = before[2] + block[2]
                centre = (before[1] * before[2] + (block[1] - shift) * block[2]) / count
                block = [members, centre, count, before[3], shift + block[4]]
            blocks.append(block)
        for members, centre, *_ in blocks:
            for node, offset in members:
                self.x[node] = centre + offset


# Drawings -----------------------------------------------------------------------------------------------------------

FONT = "font-family=\"ui-sans-serif, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif\""
COLORS = {
    "library": ("#e8f0fe", "#3b6fb6"), "display": ("#e7f6ec", "#2f855a"), "program": ("#fdf1dc", "#b7791f"),
    "c": ("#f1f1f4", "#8a8f98"), "folder": ("#f3f6fb", "#5b7aa8"), "cycle": ("#fde8e8", "#c53030"),
}


def text_width(text, size):
    wide, narrow = "mwMWCGOQDHNU", "iljtfrI.,:/ "
    return size * sum(0.86 if c in wide else 0.34 if c in narrow else 0.6 for c in text)


def node(layout, name, title, detail, color, at=(0, 0)):
    fill, line = COLORS[color]
    x, y, width = layout.x[name] + at[0], layout.y[name] + at[1], layout.widths[name]
    top = y - layout.height / 2
    result = [
        f'<rect x="{x - width / 2:.0f}" y="{top:.0f}" width="{width:.0f}" height="{layout.height}" rx="7" fill="{fill}" '
        f'stroke="{line}" stroke-width="1.2"/>']
    baseline = y + (5 if not detail else -2)
    result.append(
        f'<text x="{x:.0f}" y="{baseline:.0f}" font-size="14" font-weight="600" fill="#1f2933" text-anchor="middle">'
        f'{escape(title)}</text>')
    if detail:
        result.append(
            f'<text x="{x:.0f}" y="{y + 14:.0f}" font-size="11" fill="#5f6b7a" text-anchor="middle">'
            f'{escape(detail)}</text>')
    return result


def arrows(layout, at=(0, 0), red=()):
    result = []
    half = layout.height / 2
    for chain in layout.chains:
        points = [(layout.x[n] + at[0], layout.y[n] + at[1]) for n in chain]
        down = points[-1][1] >= points[0][1]
        color = "#c53030" if (chain[0], chain[-1]) in red else "#7b8794"
        # Arrows leave and arrive spread over the edge of a node, towards where they come from.
        first, second = points[0], points[1]
        lean = max(-1, min(1, (second[0] - first[0]) / 160))
        start = (first[0] + lean * layout.widths[chain[0]] * 0.32, first[1] + (half if down else -half))
        last, previous = points[-1], points[-2]
        lean = max(-1, min(1, (previous[0] - last[0]) / 160))
        end = (last[0] + lean * layout.widths[chain[-1]] * 0.32, last[1] + (-half - 3 if down else half + 3))
        path = [f"M{start[0]:.0f} {start[1]:.0f}"]
        here = start
        stops = []
        for x, y in points[1:-1]:
            stops += [(x, y - half), (x, y + half)] if down else [(x, y + half), (x, y - half)]
        for index, stop in enumerate(stops + [end]):
            middle = (here[1] + stop[1]) / 2
            if index % 2 == 1:
                path.append(f"L{stop[0]:.0f} {stop[1]:.0f}")
            else:
                path.append(f"C{here[0]:.0f} {middle:.0f} {stop[0]:.0f} {middle:.0f} {stop[0]:.0f} {stop[1]:.0f}")
            here = stop
        marker = "red" if color == "#c53030" else "tip"
        result.append(
            f'<path d="{" ".join(path)}" fill="none" stroke="{color}" stroke-width="1.3" marker-end="url(#{marker})"/>')
    return result


def document(width, height, body, title):
    tip = (
        '<marker id="{}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0.6 L8 4 L0 7.4 z" fill="{}"/></marker>')
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" {FONT} role="img">',
        f"<title>{escape(title)}</title>",
        "<defs>" + tip.format("tip", "#7b8794") + tip.format("red", "#c53030") + "</defs>",
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="10" fill="#ffffff"/>', *body, "</svg>", ""])


def kind(target):
    if not target.sources:
        return "c"
    if target.name == "CalotypeCLI":
        return "program"
    above = {"CalotypeDisplay", "CalotypeObservability", "CalotypeTerminal", "CalotypeTestKit"}
    return "display" if target.name in above else "library"


def size(target):
    return f"{len(target.sources)} files, {round(target.lines / 100) / 10:g}k lines"


def draw_targets(targets):
    swift = {t.name: t for t in targets if t.sources}
    graph = {t.name: {d for d in t.dependencies if d in swift} for t in swift.values()}
    widths = {t.name: max(text_width(t.name, 14), text_width(size(t), 11)) + 28 for t in swift.values()}
    layout = Layout(graph, widths, gap=24, layer_gap=44, height=46)
    margin = 24
    body = arrows(layout, (margin, margin))
    for name in sorted(swift):
        body += node(layout, name, name, size(swift[name]), kind(swift[name]), (margin, margin))
    width, height = layout.size[0] + 2 * margin, layout.size[1] + 2 * margin
    # C libraries in a row of their own: who uses them is told by their names.
    users = {}
    for target in swift.values():
        for dependency in target.dependencies:
            users.setdefault(dependency, []).append(target.name)
    names = sorted(t.name for t in targets if not t.sources)
    height += 4
    body.append(
        f'<line x1="{margin}" y1="{height - 12:.0f}" x2="{width - margin:.0f}" y2="{height - 12:.0f}" '
        'stroke="#d5dae1" stroke-dasharray="4 4"/>')
    x, y = margin, height
    for name in names:
        told = ", ".join(n.removeprefix("Calotype") or n for n in sorted(users.get(name, [])))
        wide = max(text_width(name, 12), text_width(told, 10)) + 20
        if x + wide > width - margin:
            x, y = margin, y + 46
        fill, line = COLORS["c"]
        body += [
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="38" rx="6" fill="{fill}" stroke="{line}"/>',
            f'<text x="{x + wide / 2:.0f}" y="{y + 16:.0f}" font-size="12" font-weight="600" fill="#3e4c59" '
            f'text-anchor="middle">{name}</text>',
            f'<text x="{x + wide / 2:.0f}" y="{y + 30:.0f}" font-size="10" fill="#5f6b7a" text-anchor="middle">'
            f'{escape(told)}</text>']
        x += wide + 10
    return document(width, y + 38 + margin, body, "The targets of the package: arrows go from a target to those that it uses")


def draw_folders(target, at):
    """The panel of one target, and its size."""
    names = {"." : "(root)"}
    counts = {}
    for source in target.sources:
        counts[target.facet(source)] = counts.get(target.facet(source), 0) + 1
    graph = target.folders
    detail = {f: f"{counts[f]} file{'s' if counts[f] > 1 else ''}" for f in graph}
    widths = {f: max(text_width(names.get(f, f), 14), text_width(detail[f], 11)) + 24 for f in graph}
    layout = Layout(graph, widths, gap=22, layer_gap=34, height=40)
    cyclic = {f for cycle in components(graph) for f in cycle}
    red = {(a, b) for cycle in components(graph) for a in cycle for b in cycle}
    title = f"{target.name}"
    width = max(layout.size[0], text_width(title + size(target), 15) + 30) + 40
    height = layout.size[1] + 72
    inner = (at[0] + (width - layout.size[0]) / 2, at[1] + 50)
    body = [
        f'<rect x="{at[0]:.0f}" y="{at[1]:.0f}" width="{width:.0f}" height="{height:.0f}" rx="9" fill="#fbfcfe" '
        'stroke="#d5dae1"/>',
        f'<text x="{at[0] + 18:.0f}" y="{at[1] + 28:.0f}" font-size="15" font-weight="700" fill="#1f2933">'
        f'{escape(title)} <tspan font-size="11" font-weight="400" fill="#5f6b7a">{size(target)}</tspan></text>']
    body += arrows(layout, inner, red)
    for folder in sorted(graph):
        color = "cycle" if folder in cyclic else "folder"
        body += node(layout, folder, names.get(folder, folder), detail[folder], color, inner)
    return body, (width, height)


def draw_all_folders(targets):
    panels = [t for t in targets if len(t.folders) > 1]
    # The tallest first, so that those of one row are about as tall.
    sizes = {t.name: draw_folders(t, (0, 0))[1] for t in panels}
    panels.sort(key=lambda t: (-sizes[t.name][1], t.name))
    gap, page = 18, max([1080] + [width for width, _ in sizes.values()])
    rows, body, y = [], [], gap
    for panel in panels:
        width = sizes[panel.name][0]
        row = next((r for r in rows if sum(sizes[p.name][0] + gap for p in r) + width <= page), None)
        if row is None:
            rows.append([panel])
        else:
            row.append(panel)
    for row in rows:
        x = gap
        for panel in row:
            drawn, (width, _) = draw_folders(panel, (x, y))
            body += drawn
            x += width + gap
        y += max(sizes[p.name][1] for p in row) + gap
    return document(page + 2 * gap, y, body, "The folders of each target: arrows go from a folder to those whose types it names")


# Package ------------------------------------------------------------------------------------------------------------


def targets():
    package = json.loads(
        subprocess.run(
            ["swift", "package", "dump-package"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    result = []
    for target in package["targets"]:
        folder = os.path.join(ROOT, target.get("path") or os.path.join("Sources", target["name"]))
        if target["type"] == "test" or not folder.startswith(os.path.join(ROOT, "Sources")):
            continue
        dependencies = set()
        for dependency in target["dependencies"]:
            dependencies.add((dependency.get("byName") or dependency.get("target") or [""])[0])
        result.append(Target(target["name"], folder, dependencies))
    return result


def main():
    checks = sys.argv[1:] == ["--check"]
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    found = targets()
    failed = False
    for target in found:
        faults = target.faults()
        if target.name in ALLOWED:
            if faults:
                print(f"{target.name}: {len(faults)} cycles, allowed for now", file=sys.stderr)
            elif checks:
                print(f"{target.name} has no cycles: take it off the list in .ci/map.py", file=sys.stderr)
                failed = True
        elif faults:
            print("\n".join(faults), file=sys.stderr)
            failed = True
    dependencies, rest = set(), list(SERVER)
    while rest:
        name = rest.pop()
        if name not in dependencies:
            dependencies.add(name)
            rest += [d for t in found if t.name == name for d in t.dependencies]
    for name in sorted(dependencies & NOT_FOR_SERVERS):
        print(f"{' and '.join(SERVER)} depend on {name}, which a server must not build", file=sys.stderr)
        failed = True
    drawings = {"targets.svg": draw_targets(found), "folders.svg": draw_all_folders(found)}
    for name, drawing in drawings.items():
        path = os.path.join(OUTPUT, name)
        present = open(path, encoding="utf-8").read() if os.path.exists(path) else None
        if present == drawing:
            continue
        if checks:
            print(f"{os.path.relpath(path, ROOT)} is out of date: run make map", file=sys.stderr)
            failed = True
        else:
            os.makedirs(OUTPUT, exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(drawing)
    sys.exit(1 if failed else 0)


main()
