#!/usr/bin/env python3
"""All that Scripts/bench measures, in one run: parts, floors, requests beside a peer, memory; and the goals beside them.

    bench.py --offerd PROGRAM --programs FOLDER --python PYTHON --folder FOLDER --docs FILE
             [--quick] [--only PART,…] [--runs 5] [--seconds 3] [--connections 1,32,64,128] [--customers 100000] [--minutes 10]

The parts are micro, floors, issued-offers, slow-disk, decisions, transactions, postgres, cost and memory. A whole run writes the generated part
of the document; one of some parts, or a quick one, only prints.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import cost
import decisions
import floors
import issued_offers
import memory
import micro
import postgres
import report
import slow_disk
import transactions
from settings import Settings

PARTS = ["micro", "floors", "issued-offers", "slow-disk", "decisions", "transactions", "postgres", "cost", "memory"]


def parts(text: str) -> list[str]:
    wanted = text.split(",")
    for name in wanted:
        if name not in PARTS:
            raise argparse.ArgumentTypeError(f"`{name}` is no part; they are {', '.join(PARTS)}")
    return wanted


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def arguments_of(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--offerd", "--programs", "--python", "--folder", "--docs"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", type=parts)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--seconds", type=int)
    parser.add_argument("--connections", type=numbers)
    parser.add_argument("--customers", type=int)
    parser.add_argument("--minutes", type=float)
    return parser.parse_args(words)


def settings_of(arguments: argparse.Namespace) -> Settings:
    quick = arguments.quick
    chosen = lambda value, usual, when_quick: value if value is not None else when_quick if quick else usual
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return Settings(
        offerd=arguments.offerd.resolve(), programs=arguments.programs.resolve(), python=arguments.python.absolute(),
        folder=folder, quick=quick, runs=chosen(arguments.runs, 5, 1), seconds=chosen(arguments.seconds, 3, 2),
        connections=chosen(arguments.connections, [1, 32, 64, 128], [32, 64]),
        customers=chosen(arguments.customers, 100_000, 25_000), minutes=chosen(arguments.minutes, 10, 0.1))


def measure(settings: Settings, wanted: list[str]) -> dict:
    began = time.monotonic()
    figures: dict = {"load": " ".join(f"{load:.1f}" for load in os.getloadavg()), "commit": commit()}
    base = settings.base()
    measures = {
        "micro": lambda: {"micro": micro.measure(settings, base)},
        "floors": lambda: {"floors": floors.measure(settings, base)},
        "issued-offers": lambda: {"issued": issued_offers.measure(settings, base, settings.peer_base())},
        "slow-disk": lambda: {"slowDisk": slow_disk.measure(settings, base)},
        "decisions": lambda: {"decisions": decisions.measure(settings, base)},
        "transactions": lambda: {"transactions": transactions.measure(settings, base)},
        "postgres": lambda: {"postgres": postgres.measure(settings, base)},
        "cost": lambda: {"cost": cost.measure(settings, base)},
        "memory": lambda: {"memory": memory.measure(settings, base)},
    }
    for part in PARTS:
        if part in wanted:
            figures.update(measures[part]())
            # What was measured stays known when a later part fails.
            (settings.folder / "figures.json").write_text(json.dumps(figures, indent=1))
    figures["minutes"] = (time.monotonic() - began) / 60
    figures["how"] = (
        f"Medians of {settings.runs} runs of {settings.seconds} s, after one that is not counted, with {settings.customers:,} customers; "
        "wrk on the same machine with one thread.")
    return figures


def commit() -> str:
    told = subprocess.run(
        ["git", "describe", "--always", "--dirty"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        cwd=Path(__file__).parent)
    return told.stdout.strip() or "unknown"


def main() -> None:
    arguments = arguments_of(sys.argv[1:])
    settings = settings_of(arguments)
    usual = [part for part in PARTS if not (arguments.quick and part in ("slow-disk", "postgres", "cost", "memory"))]
    wanted = arguments.only or usual
    figures = measure(settings, wanted)
    (settings.folder / "figures.json").write_text(json.dumps(figures, indent=1))
    for title, text in report.sections(figures)[1:]:
        print(f"\n{title}\n\n{text}")
    print(f"\n{report.judged(figures)}")
    shortened = arguments.quick or [
        name for name in ("runs", "seconds", "connections", "customers", "minutes") if getattr(arguments, name) is not None]
    if wanted == PARTS and not shortened:
        report.write(arguments.docs, figures, "Scripts/bench")
        print(f"\nwrote {arguments.docs}")
    else:
        print("\ndocs/benchmarks.md is left as it is: only a whole run as it is without options is written there")


if __name__ == "__main__":
    main()
