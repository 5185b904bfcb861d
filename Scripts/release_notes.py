"""Checks that a tag may be released, and prints the changes of its version: Scripts/release_notes.py TAG

The tag is `v` and the version of the source, and CHANGELOG.md has a section of that version with a date, such as
`## 0.1.0 (2026-12-01)`. The section is printed without its heading; if GITHUB_REPOSITORY is set, its links lead to the files of
the tag there.

Exit: 0 the tag fits, 1 it does not, 2 usage.
"""

import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = "Sources/CommandLineSupport/CommandLineProgram.swift"


class Unfit(Exception):
    """The tag does not fit; the arguments are the error and the hint."""


def notes(tag):
    found = re.search(r'enum ProgramVersion \{.*?static let number = "([^"]+)"', (ROOT / SOURCE).read_text(), re.DOTALL)
    if not found:
        raise Unfit(f"{SOURCE} states no `ProgramVersion.number`", "bring Scripts/release_notes.py up to date")
    version = found[1]
    if tag != f"v{version}":
        raise Unfit(f"the tag is `{tag}`, and {SOURCE} states `{version}`", f"tag it `v{version}`, or change the source first")
    changes = (ROOT / "CHANGELOG.md").read_text()
    section = re.search(rf"^## {re.escape(version)}(?: +([^\n]*))?\n(.*?)(?=^## |\Z)", changes, re.MULTILINE | re.DOTALL)
    if not section:
        raise Unfit(f"CHANGELOG.md has no section `## {version}`", "write one")
    if not re.fullmatch(r"\(\d{4}-\d{2}-\d{2}\)", section[1] or ""):
        raise Unfit(f"CHANGELOG.md has no date after `## {version}`", f"write `## {version} (YYYY-MM-DD)`")
    text = section[2].strip()
    if not text:
        raise Unfit(f"CHANGELOG.md says nothing about {version}", "write what has changed")
    if repository := os.environ.get("GITHUB_REPOSITORY"):
        files = f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{repository}/blob/{tag}/"
        text = re.sub(r"\]\((?![a-z]+:)", lambda match: match[0] + files, text)
    return text


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments == ["--help"] else 2
    try:
        print(notes(arguments[0]))
    except Unfit as error:
        print(f"error: {error.args[0]}", file=sys.stderr)
        print(f"hint: {error.args[1]}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
