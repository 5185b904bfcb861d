"""Prints the manual page of a program, in man(7), from its own help.

usage: PROGRAM --experimental-dump-help | manual.py SECTION VERSION DATE

The page has the program's overview, then a section with synopsis, description and options for each command.
"""

import json
import re
import sys


def text(value: str) -> str:
    """Escapes what roff would read as its own; code in backticks becomes bold."""
    value = value.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    value = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", value)
    return "\n".join("\\&" + line if line.startswith(".") else line for line in value.split("\n"))


def paragraphs(value: str):
    """Indented lines are examples and keep their line breaks."""
    for paragraph in value.split("\n\n"):
        yield ".PP"
        example = False
        for line in paragraph.split("\n"):
            if line.startswith("  ") != example:
                example = not example
                yield ".nf\n.RS" if example else ".RE\n.fi"
            yield text(line[2:] if example else line)
        if example:
            yield ".RE\n.fi"


def spelling(argument: dict) -> str:
    value = f"\\fI{text(argument['valueName'])}\\fR"
    if argument["kind"] == "positional":
        return value
    names = ", ".join(
        "\\fB" + text(("--" if name["kind"] == "long" else "-") + name["name"]) + "\\fR" for name in argument["names"])
    return names if argument["kind"] == "flag" else f"{names} {value}"


def synopsis(command: dict, name: str) -> str:
    words = [f"\\fB{text(name)}\\fR"]
    if command.get("subcommands"):
        return words[0] + " \\fIcommand\\fR"
    for argument in shown(command):
        word = spelling(argument).split(", ")[-1] + (" ..." if argument["isRepeating"] else "")
        words.append(f"[{word}]" if argument["isOptional"] else word)
    return " ".join(words)


def shown(command: dict) -> list:
    """The arguments but for those that every command has."""
    common = {"help", "version"}
    return [
        argument for argument in command.get("arguments", [])
        if argument["shouldDisplay"] and argument.get("valueName") not in common
    ]


def options(command: dict):
    for argument in shown(command):
        yield ".TP"
        yield spelling(argument)
        details = [argument.get("abstract", "")]
        if values := argument.get("allValues"):
            details.append("One of " + ", ".join(f"`{value}`" for value in values) + ".")
        if default := argument.get("defaultValue"):
            details.append(f"The default is `{default}`.")
        yield text(" ".join(filter(None, details))) or "\\&"


def commands(command: dict, name: str):
    for child in command.get("subcommands", []):
        if not child["shouldDisplay"] or child["commandName"] == "help":
            continue
        full = f"{name} {child['commandName']}"
        yield f".SS {text(full.partition(' ')[2])}"
        yield synopsis(child, full)
        yield from paragraphs("\n\n".join(filter(None, [child.get("abstract"), child.get("discussion")])))
        yield from options(child)
        yield from commands(child, full)


def main() -> None:
    section, version, date = sys.argv[1:4]
    program = json.load(sys.stdin)["command"]
    name = program["commandName"]
    other = {"offerd": "offerctl(1)", "offerctl": "offerd(8)"}[name]
    lines = [
        f'.TH {name.upper()} {section} "{date}" "offerd {version}"', ".SH NAME",
        f"{name} \\- {text(program['abstract'][:1].lower() + program['abstract'][1:].rstrip('.'))}", ".SH SYNOPSIS", synopsis(program, name), ".SH DESCRIPTION",
        *list(paragraphs(program["discussion"]))[1:], ".SH COMMANDS", *commands(program, name), ".SH SEE ALSO",
        text(other) + ",\n.I /usr/share/doc/offerd",
    ]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
