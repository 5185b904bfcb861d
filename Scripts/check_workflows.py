"""Checks .github/workflows: the schema, the style, what zizmor finds, the scripts that are called, and the versions.

usage: check_workflows.py

Runs check-jsonschema, yamllint and zizmor from the environment of this Python; none of them calls another machine. Every
script that a step runs must be in the repository and executable, and every step be valid for bash. The workflows, the
Dockerfile, Package.swift, Scripts/lib.sh, README.md and docs/install.md must agree on the versions of Swift and Debian.

Exit: 0 nothing found, 1 something found, one fault per line, 2 usage.
"""

import os
import pathlib
import re
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".github/workflows"
PROGRAMS = pathlib.Path(sys.executable).parent
STYLE = "{extends: default, rules: {document-start: disable, line-length: {max: 160}, truthy: {check-keys: false}, \
comments: {min-spaces-from-content: 1}}}"
RELEASES = {"bookworm": "12", "trixie": "13"}

faults = []


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def linter(name, *arguments):
    run = subprocess.run([PROGRAMS / name, *arguments], cwd=ROOT, capture_output=True, text=True)
    if run.returncode != 0:
        faults.append(f"{name} found faults")
        print(run.stdout + run.stderr, file=sys.stderr)


def check_step(place, command):
    """The commands of a step."""
    run = subprocess.run(["bash", "-n"], input=command, capture_output=True, text=True)
    if run.returncode != 0:
        faults.append(f"{place}: not valid for bash: {run.stderr.strip()}")
    for match in re.finditer(r"(?P<python>python3 )?(?P<script>(?:Scripts|\.ci)/[\w./-]+)", command):
        script = ROOT / match["script"]
        if not script.is_file():
            faults.append(f"{place}: there is no `{match['script']}`")
        elif not match["python"] and not os.access(script, os.X_OK):
            faults.append(f"{place}: `{match['script']}` is not executable")


def check_versions(images):
    """Of Swift and Debian."""
    dockerfile = text_of("Dockerfile")
    found = re.search(r"^FROM (swift:(\d+\.\d+)-(\w+)) AS build$", dockerfile, re.MULTILINE)
    if not found:
        faults.append("Dockerfile: no stage `build` on an image such as `swift:6.3-bookworm`")
        return
    image, swift, release = found.groups()
    debian = RELEASES.get(release)
    for place, other in images:
        if other != image:
            faults.append(f"{place}: the image is `{other}`, and the Dockerfile builds on `{image}`")
    if f"\nFROM debian:{release}-slim\n" not in dockerfile:
        faults.append(f"Dockerfile: what is built on `{release}` does not run on `debian:{release}-slim`")
    for name in (".github/workflows/test.yml", ".github/workflows/release.yml", "README.md", "docs/install.md"):
        for other in re.findall(r"Debian (\d+)", text_of(name)):
            if other != debian:
                faults.append(f"{name}: states Debian {other}, and the Dockerfile builds on {release}, Debian {debian}")
    minimum = re.search(r"swift_minimum=(\S+)", text_of("Scripts/lib.sh"))[1]
    if tuple(map(int, swift.split("."))) < tuple(map(int, minimum.split("."))):
        faults.append(f"Dockerfile: Swift {swift} is older than Scripts/lib.sh asks for, {minimum}")
    if f"swift-tools-version: {minimum}\n" not in text_of("Package.swift"):
        faults.append(f"Package.swift: another version of Swift than Scripts/lib.sh asks for, {minimum}")
    for name in ("README.md", "docs/install.md"):
        for other in re.findall(r"Swift (\d+\.\d+) or later", text_of(name)):
            if other != minimum:
                faults.append(f"{name}: states Swift {other} or later, and Scripts/lib.sh asks for {minimum}")
    for key in re.findall(r"swift-(\d+\.\d+-\w+)", text_of(".github/workflows/test.yml")):
        if f"swift:{key}" != image:
            faults.append(f".github/workflows/test.yml: the cache is of `{key}`, and the Dockerfile builds on `{image}`")


def main():
    files = sorted(FOLDER.glob("*.yml"))
    linter("check-jsonschema", "--quiet", "--builtin-schema", "vendor.github-workflows", *files)
    linter("yamllint", "--strict", "--config-data", STYLE, *files)
    linter("zizmor", "--offline", "--quiet", "--no-progress", *files)
    images, steps = [], 0
    for file in files:
        name = file.relative_to(ROOT)
        for job_name, job in yaml.safe_load(file.read_text())["jobs"].items():
            if image := job.get("container", {}).get("image"):
                images.append((f"{name}: {job_name}", image))
            for number, step in enumerate(job.get("steps", []), 1):
                steps += 1
                check_step(f"{name}: {job_name}, step {number}", step.get("run", ""))
    if not images:
        faults.append(f"{FOLDER.relative_to(ROOT)}: no job runs in a container")
    check_versions(images)
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    print(f"{len(files)} workflows, {steps} steps, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(__doc__)
        sys.exit(0 if sys.argv[1:] == ["--help"] else 2)
    sys.exit(main())
