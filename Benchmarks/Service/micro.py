"""The parts one by one, in one process each: ours in Swift, Apple's Python library beside them."""

import json
import re
import subprocess

from service import HERE, Service
from settings import Settings

# Instructions are counted by `Scripts/bench --check`; here it is time.
PURE = {
    "derive the states, 200 transactions": ("DecideBenchmark", "state"),
    "decide 20 offers over 200 transactions": ("DecideBenchmark", "together"),
    "the same with every message written": ("DecideBenchmark", "messages"),
    "decide 1 offer over 12 transactions": ("DecideBenchmark", "one"),
    "parse an issue request": ("WireBenchmark", "parse"),
    "encode its answer": ("WireBenchmark", "encode"),
}
WAITERS = [1, 16, 64]


def measure(settings: Settings, base: Service) -> dict:
    """Median and fastest in microseconds by name, and the library's rates."""
    settings.say("micro: states, decisions, JSON")
    rounds = "200" if settings.quick else "1000"
    figures = {name: times(run(settings, program, rounds, mode)) for name, (program, mode) in PURE.items()}
    settings.say("micro: signing, verifying, reading, recording")
    signed = base.folder / "signed.txt"
    subprocess.run(
        [settings.python, HERE / "chain.py", "transactions", base.folder / "root", "--count", "1000", "--environment",
         "Sandbox", "--whole", "--out", signed], check=True)
    for part in ("sign", "verify", "facts"):
        figures.update(named(run(settings, "ServiceBenchmark", part, base.folder)))
    work = settings.work(base)
    for place, waiters in enumerate(WAITERS):
        figures.update(named(run(
            settings, "ServiceBenchmark", "record", work.folder, waiters, place * 2_000)))
    settings.clean("work")
    settings.say("micro: Apple's Python library")
    library = json.loads(subprocess.run(
        [settings.python, HERE.parent / "Peer" / "library.py", settings.key, base.folder / "root" / "root.der", signed,
         "0.5" if settings.quick else "3"], check=True, stdout=subprocess.PIPE, text=True).stdout)
    return {"ours": figures, "library": library}


def run(settings: Settings, program: str, *arguments: object) -> str:
    return subprocess.run(
        [settings.program(program), *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True).stdout


def times(line: str) -> dict:
    found = re.search(r"median ([\d.]+) µs, fastest ([\d.]+) µs", line)
    figures = {"median": float(found.group(1)), "fastest": float(found.group(2))}
    rate = re.search(r"(\d+) a second", line)
    if rate:
        figures["perSecond"] = int(rate.group(1))
    return figures


def named(output: str) -> dict:
    return {name: times(line) for name, line in (text.split("\t") for text in output.splitlines())}
