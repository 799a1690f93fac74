#!/usr/bin/env python3
"""Writes the table of all error codes into DocC/Calotype.docc/Errors.md, from the declarations of the errors.

    .ci/errors.py            rewrites the tables between the marks of the page
    .ci/errors.py --check    fails when the page differs from the sources
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "DocC/Calotype.docc/Errors.md")
# The declaration, and the file with `gatewayStatus`; without one, that of the protocol applies.
TYPES = {
    "LoadingError": ["Sources/CalotypeLoading/Core/LoadingError.swift"] * 2,
    "ImagingError": ["Sources/CalotypeImaging/Basics/ImagingError.swift", "Sources/Calotype/Responses/CalotypeError.swift"],
    "CachingError": ["Sources/CalotypeCaching/Core/CachingError.swift", None],
    "PipelineError": ["Sources/Calotype/Responses/PipelineError.swift"] * 2,
    "SlotError": ["Sources/CalotypeDisplay/SlotState/SlotError.swift"] * 2,
}
# Expressions and patterns of the sources, as a reader says them. One that is not here ends the script.
EXPRESSIONS = {
    "true": "yes", "false": "no",
    "Self.isRetryable(status: status)": "408, 425, 429, 500, 502, 503, 504",
    "retryAfter != nil": "with a `retryAfter`",
    "code == ImageResponse.StoreOutcomes.shed": "if its code is `shed`",
    "[EIO, EAGAIN, EINTR, EBUSY, EMFILE, ENFILE, ENOMEM, ESTALE, ENOENT].contains(code)":
        "`EIO`, `EAGAIN`, `EINTR`, `EBUSY`, `EMFILE`, `ENFILE`, `ENOMEM`, `ESTALE`, `ENOENT`",
    "isRetryable": "as the cache says",
}
CONDITIONS = {
    "_, 404, _, _": "after 404 and 410", "_, 410, _, _": None, "_, 504, _, _": "after 504",
    ".provider, _": "for a provider", '_, "tooLarge", _': "after `tooLarge`",
    '_, "unacceptableContentType", _': "after `unacceptableContentType`", '_, "httpStatus", _': "after `httpStatus`",
    "_, .queue, _": "if it was in a queue", "_, _?": "with a `retryAfter`", "_, nil": "without",
}


def split(text):
    """The parts of a list, by commas outside parentheses."""
    parts, depth, start = [], 0, 0
    for index, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [part.strip() for part in [*parts, text[start:]]]


def member(source, name, kind):
    """The cases of the switch of a property, as (case, arguments, value); nothing if there is none."""
    begin = source.find(f"public var {name}: {kind} {{")
    if begin < 0:
        return []
    if value := re.match(r".*\{ (.*) \}\n", source[begin:]):
        return [("default", "", value.group(1))]
    body = source[begin:source.index("\n  }\n", begin)]
    body = re.sub(r"//.*", "", body[body.index("switch self"):])
    rows = []
    for match in re.finditer(r"(?:case (\.[^:]*(?::[^:\n]*\))?[^:]*)|(default)):\s*(.*?)(?=\n\s*(?:case|default)\b|\n\s*\}|\Z)",
                             body, re.S):
        value = " ".join(match.group(3).split())
        if match.group(2):
            rows.append(("default", "", value))
            continue
        for pattern in split(match.group(1)):
            pattern = re.sub(r"\blet \w+", "_", pattern)
            name_, _, arguments = pattern.removeprefix(".").partition("(")
            rows.append((name_, arguments.rstrip(")"), value))
    return rows


def cases(source, type_name):
    """The cases of an enumeration with the first sentence of their comments."""
    source = source[source.index(f"enum {type_name}"):]
    comment = []
    for line in source.split("\n}", 1)[0].split("\n"):
        line = line.strip()
        if line.startswith("///"):
            comment.append(line.removeprefix("///").strip())
        elif found := re.match(r"case (\w+)", line):
            text = " ".join(comment)
            yield found.group(1), re.split(r"(?<=[.:]) (?=[A-Z])|: (?=[a-z`])", text)[0].rstrip(".:")
            comment = []
        elif line.startswith(("public var", "///")) or not line:
            comment = []


def look_up(table, key, place):
    if key not in table:
        sys.exit(f"{place}: describe `{key}` in .ci/errors.py")
    return table[key]


def value_of(rows, name):
    return [(arguments, value) for case, arguments, value in rows if case == name] or [
        (arguments, value) for case, arguments, value in rows if case == "default"]


def status(rows, name, retryable):
    if not rows:
        return {"yes": "503", "no": "500"}.get(retryable, "503 if it is, else 500")
    told = []
    for arguments, value in value_of(rows, name):
        is_plain = not re.sub(r"[_, ]", "", arguments)
        condition = "" if is_plain else look_up(CONDITIONS, arguments, name)
        if condition is not None:
            told.append((condition, value))
        if is_plain:
            break
    if len(told) == 1:
        return told[0][1]
    return "; ".join(f"{value} {condition}".strip() if condition else f"else {value}" for condition, value in told)


def table(type_name):
    declaration, statuses = TYPES[type_name]
    source = open(os.path.join(ROOT, declaration), encoding="utf-8").read()
    codes = {name: value.strip('"') for name, _, value in member(source, "code", "String")}
    retries = member(source, "isRetryable", "Bool")
    answers = []
    if statuses:
        text = open(os.path.join(ROOT, statuses), encoding="utf-8").read()
        if f"extension {type_name}: CalotypeError" in text:
            text = text[text.index(f"extension {type_name}: CalotypeError"):]
        answers = member(text, "gatewayStatus", "Int")
    lines = ["| code | meaning | retry | status |", "| --- | --- | --- | --- |"]
    for name, meaning in cases(source, type_name):
        [(_, value)] = value_of(retries, name)[:1]
        retry = look_up(EXPRESSIONS, value, f"{type_name}.{name}.isRetryable")
        meaning = re.sub(r"``([^`]*)``", lambda link: "`" + link.group(1).split("/")[-1].split("(")[0] + "`", meaning)
        lines.append(f"| `{codes[name]}` | {meaning} | {retry} | {status(answers, name, retry)} |")
    return "\n".join(lines)


def main():
    page = open(PAGE, encoding="utf-8").read()
    result = page
    for type_name in TYPES:
        pattern = re.compile(rf"(<!-- {type_name} -->\n\n)(.*?)(\n\n<!-- end -->)", re.S)
        if not pattern.search(result):
            sys.exit(f"{PAGE} has no place for {type_name}")
        result = pattern.sub(lambda match: match.group(1) + table(type_name) + match.group(3), result)
    if result == page:
        return
    if sys.argv[1:] == ["--check"]:
        sys.exit("Errors.md differs from the sources: run .ci/errors.py")
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(result)


main()
