#!/usr/bin/env python3
"""Runs the cases of this project against any implementation. README.md describes the protocol.

    run.py -- offerctl test --lines          a command that answers a line for each line
    run.py --http http://127.0.0.1:9000/     an endpoint that answers POST requests
    run.py --print                           only prints the questions

Exits 0 if every case passes, 1 if one fails, 2 if the suite cannot be run. Needs Python 3.9 and PyYAML.
"""

import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys
import urllib.request

import yaml

HERE = pathlib.Path(__file__).resolve().parent


class Loader(yaml.SafeLoader):
    """YAML as in YAML 1.2: an unquoted time is text, and `yes` is no boolean."""


Loader.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("bool", r"^(?:true|false)$", "tf"),
    ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
    ("float", r"^[-+]?[0-9]+\.[0-9]+$", "-+0123456789"),
    ("null", r"^(?:~|null|)$", ["~", "n", ""]),
]:
    Loader.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(pattern), list(first))


def load(path):
    return yaml.load(path.read_text(encoding="utf-8"), Loader)


def case_files(paths):
    """The files that are named, and those in folders that are named."""
    for path in map(pathlib.Path, paths):
        found = path.rglob("*") if path.is_dir() else [path]
        yield from sorted(file for file in found if file.suffix in (".json", ".yaml", ".yml"))


def question(path, document, case):
    """A document with one case, with everything it refers to in it and without what is expected."""
    asked = {name: value for name, value in case.items() if name != "expect"}
    if isinstance(asked.get("history"), str):
        asked["history"] = document["histories"][asked["history"]]
    # Names the group whose state is asked for; the format requires a member of the state.
    state = {"state": None}
    named = (case["expect"].get("state") or {}).get("subscriptionGroupIdentifier")
    if named:
        state["subscriptionGroupIdentifier"] = named
    asked["expect"] = {"state": state}
    result = {name: document[name] for name in ("offers", "unchecked") if name in document}
    if "catalog" in document:
        catalog = document["catalog"]
        result["catalog"] = catalog if isinstance(catalog, dict) else load(path.parent / catalog)
    return result | {"cases": [asked]}


def text(value):
    """A value as a state shows it: an instant in UTC with milliseconds only if there are any."""
    if isinstance(value, str):
        return instant(value) or value
    return None if value is None else json.dumps(value)


def instant(value):
    """ISO 8601 with an offset, or milliseconds since 1970, as ISO 8601 in UTC; `None` for anything else."""
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    if isinstance(value, int):
        moment = epoch + datetime.timedelta(milliseconds=value)
    elif re.match(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[-+]\d\d:\d\d)$", value):
        whole, fraction, offset = re.match(r"^([^.Z+]{19})(\.\d+)?(.*)$", value).groups()
        moment = datetime.datetime.fromisoformat(whole + (offset.replace("Z", "+00:00")))
        moment += datetime.timedelta(milliseconds=int((fraction or ".0")[1:].ljust(3, "0")))
    else:
        return None
    moment = moment.astimezone(datetime.timezone.utc)
    milliseconds = f".{moment.microsecond // 1000:03}" if moment.microsecond else ""
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + milliseconds + "Z"


def find(findings, rule, path):
    for finding in findings or []:
        if finding["rule"] != rule:
            continue
        if finding.get("path") == path:
            return finding
        child = find(finding.get("children"), rule, path)
        if child:
            return child
    return None


def turning_point(value):
    return value and (value.get("event") or instant(value.get("at")))


def differences(expected, answer, with_messages):
    """What is wrong with an answer, as (what, expected, actual)."""
    findings = answer.get("findings") or []
    outcome = expected.get("outcome")
    if outcome and outcome != answer.get("outcome"):
        yield "outcome", outcome, answer.get("outcome")
    for wanted in expected.get("findings", []):
        place = " ".join(filter(None, [wanted["rule"], wanted.get("path")]))
        found = find(findings, wanted["rule"], wanted.get("path"))
        if not found:
            yield place, wanted["verdict"], None
            continue
        for member in ["verdict", "reason"] + (["message"] if with_messages else []):
            if member in wanted and wanted[member] != found.get(member):
                yield f"{place} {member}", wanted[member], found.get(member)
        if "turningPoint" in wanted:
            pair = turning_point(wanted["turningPoint"]), turning_point(found.get("turningPoint"))
            if pair[0] != pair[1]:
                yield f"{place} turningPoint", pair[0], pair[1]
        transactions = [entry.get("transactionId") for entry in found.get("evidence") or []]
        if "transactionId" in wanted and wanted["transactionId"] not in transactions:
            yield f"{place} transactionId", wanted["transactionId"], ", ".join(filter(None, transactions))
    if outcome and answer.get("outcome") in ("ineligible", "undetermined"):
        deciding = "violated" if answer["outcome"] == "ineligible" else "undetermined"
        listed = {wanted["rule"] for wanted in expected.get("findings", [])}
        for finding in findings:
            if finding["verdict"] == deciding and finding["rule"] not in listed:
                yield finding["rule"], None, deciding
    for member, wanted in (expected.get("state") or {}).items():
        actual = (answer.get("state") or {}).get(member)
        if member != "subscriptionGroupIdentifier" and text(wanted) != text(actual):
            yield f"state {member}", text(wanted), text(actual)


class Command:
    """An implementation that reads lines and answers each with a line."""

    def __init__(self, arguments):
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    def answer(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Endpoint:
    """An implementation that answers POST requests."""

    def __init__(self, url):
        self.url = url

    def answer(self, line):
        request = urllib.request.Request(self.url, line.encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.read().decode()

    def close(self):
        pass


def counted(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def main():
    parser = argparse.ArgumentParser(usage="run.py [--http URL | --print] [--messages] [FILE…] [-- COMMAND…]")
    parser.add_argument("--http", metavar="URL")
    parser.add_argument("--print", action="store_true", dest="prints")
    parser.add_argument("--messages", action="store_true", help="compare the sentences of findings too")
    parser.add_argument("files", nargs="*")
    arguments = sys.argv[1:]
    split = arguments.index("--") if "--" in arguments else len(arguments)
    options, command = parser.parse_args(arguments[:split]), arguments[split + 1 :]
    if (options.http is not None) + options.prints + bool(command) != 1:
        parser.error("give a command after `--`, or `--http URL`, or `--print`")
    other = None if options.prints else Endpoint(options.http) if options.http else Command(command)
    files = list(case_files(options.files or [HERE / "cases", HERE.parent / "cases"]))
    cases = failed = 0
    for path in files:
        document = load(path)
        for case in document["cases"]:
            line = json.dumps(question(path, document, case), ensure_ascii=False)
            if other is None:
                print(line)
                continue
            try:
                answer = json.loads(other.answer(line))
            except (OSError, ValueError) as error:
                print(f"error: no answer to `{case['name']}` ({path.name}): {error}", file=sys.stderr)
                return 2
            wrong = list(differences(case["expect"], answer, options.messages))
            cases, failed = cases + 1, failed + bool(wrong)
            if wrong:
                print(f"✗ {case['name']} ({path.name})")
            for what, expected, actual in wrong:
                print(f"    {what}: expected {expected}, got {actual}")
    if other is not None:
        other.close()
        parts = [f"{cases - failed} passed"] + ([f"{failed} failed"] if failed else [])
        print(f"{counted(len(files), 'file')}, {counted(cases, 'case')}: {', '.join(parts)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
