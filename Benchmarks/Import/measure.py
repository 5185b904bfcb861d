#!/usr/bin/env python3
"""Measures `offerd import transactions`: lines a second, peak memory, and that an import killed in the middle goes on.

  measure.py --offerd .build/release/offerd --out DIR [--customers 200000 --transactions 1000000]
             [--order date] [--format jsonl]

Imports one export twice into databases of their own: once in one go, and once killed by SIGKILL while it is staged and
while it is applied. Compares what the two databases hold, and has `offerd verify-ledger` judge the second.
"""

import argparse
import hashlib
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
TABLES = {
    "history_transaction": "SELECT payload, provenance, is_proven FROM history_transaction ORDER BY transaction_id",
    "history_renewal_info": "SELECT payload, provenance FROM history_renewal_info ORDER BY original_transaction_id",
    "customer_identifier": "SELECT kind, value, is_proven FROM customer_identifier ORDER BY kind, value",
    "customer_alias": "SELECT kind, value FROM customer_alias ORDER BY kind, value",
    "redemption": "SELECT original_transaction_id, offer_identifier, transaction_id, first_evidence FROM redemption "
    "ORDER BY original_transaction_id, first_evidence",
    "redemption_counter": "SELECT * FROM redemption_counter ORDER BY 1, 2, 3, 4, 5",
    "coverage": "SELECT COUNT(*), MIN(is_complete), MIN(as_of), MAX(as_of) FROM coverage",
    "import_row": "SELECT COUNT(*) FROM import_row",
}


def prepare(offerd, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "offerd.yaml").write_text("database: offers.sqlite\nkeys: keys.yaml\n")
    (folder / "keys.yaml").write_text(
        "apps:\n  - bundleId: com.example.pro\n    issuerId: 57246542-96fe-1a63-e053-0824d011072a\n"
        "    environments: [LocalTesting]\n    keys:\n      - { keyId: LOCALTEST1, privateKey: k.p8, use: signing }\n")
    run(offerd, folder, "keys", "generate", "--out", "k.p8", "--key-id", "LOCALTEST1")
    run(offerd, folder, "migrate", "--config", "offerd.yaml")


def run(offerd, folder, *arguments):
    done = subprocess.run([offerd, *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"offerd {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def command(offerd, export):
    return [
        offerd, "import", "transactions", str(export), "--app", "com.example.pro", "--environment", "LocalTesting",
        "--config", "offerd.yaml", "--complete", "--exported-at", "2026-10-01T00:00:00Z",
    ]


def progress(folder):
    """The stage, lines read and payloads applied, as the database says."""
    try:
        with sqlite3.connect(f"file:{folder / 'offers.sqlite'}?mode=ro", uri=True, timeout=5) as database:
            row = database.execute("SELECT stage, lines, applied FROM import_run ORDER BY id DESC LIMIT 1").fetchone()
            return row or ("staging", 0, 0)
    except sqlite3.OperationalError:
        return ("staging", 0, 0)


class Neighbour(threading.Thread):
    """Another writer on the same file, which asks for its turn every millisecond as a server does: how long it waits."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.path = folder / "offers.sqlite"
        self.ended = threading.Event()
        self.waits = []

    def run(self):
        database = sqlite3.connect(self.path, timeout=0, isolation_level=None)
        while not self.ended.wait(0.02):
            began = time.monotonic()
            while True:
                try:
                    database.execute("BEGIN IMMEDIATE")
                    break
                except sqlite3.OperationalError:
                    time.sleep(0.001)
            self.waits.append((time.monotonic() - began) * 1_000)
            database.execute("ROLLBACK")
        database.close()

    def text(self):
        waits = sorted(self.waits)
        shares = [(name, waits[int(share * (len(waits) - 1))]) for name, share in
                  [("median", 0.5), ("p99", 0.99), ("longest", 1)]]
        return f"{len(waits)} turns of another writer, waited ms: " + ", ".join(
            f"{name} {value:.0f}" for name, value in shares)


def whole(offerd, folder, export):
    """One go, with the moment when each stage ended."""
    neighbour = Neighbour(folder)
    neighbour.start()
    began = time.monotonic()
    with open(folder / "report.txt", "w") as report:
        process = subprocess.Popen(command(offerd, export), cwd=folder, stdout=report)
    moments = {}
    while True:
        # The kernel's account of this child, which is what `/usr/bin/time -v` prints.
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
        moments.setdefault(progress(folder)[0], time.monotonic() - began)
        time.sleep(0.5)
    neighbour.ended.set()
    neighbour.join()
    if status != 0:
        sys.exit("the import failed")
    print(neighbour.text(), flush=True)
    return time.monotonic() - began, moments, usage, (folder / "report.txt").read_text()


def killed(offerd, folder, export, transactions):
    """Killed while it stages and while it applies, then left to finish."""
    for column, share in [(1, 0.3), (1, 0.7), (2, 0.2), (2, 0.6)]:
        process = subprocess.Popen(command(offerd, export), cwd=folder, stdout=subprocess.DEVNULL)
        while process.poll() is None and progress(folder)[column] < share * transactions:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        print("killed at", *progress(folder), flush=True)
    return subprocess.run(command(offerd, export), cwd=folder, check=True, capture_output=True, text=True).stdout


def state(folder):
    database = sqlite3.connect(folder / "offers.sqlite")
    digests = {}
    for table, sql in TABLES.items():
        digest = hashlib.sha256()
        for row in database.execute(sql):
            digest.update(repr(row).encode())
        digests[table] = digest.hexdigest()
    database.close()
    return digests


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--offerd", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--customers", type=int, default=200_000)
    parser.add_argument("--transactions", type=int, default=1_000_000)
    parser.add_argument("--order", default="date")
    parser.add_argument("--format", default="jsonl")
    parser.add_argument("--no-kill", action="store_true")
    arguments = parser.parse_args()
    offerd = os.path.abspath(arguments.offerd)
    arguments.out.mkdir(parents=True, exist_ok=True)
    export = (arguments.out / f"export.{arguments.format}").resolve()
    subprocess.run(
        [
            sys.executable, str(HERE / "make_export.py"), "--customers", str(arguments.customers), "--transactions",
            str(arguments.transactions), "--order", arguments.order, "--format", arguments.format, "--out", str(export),
        ],
        check=True)
    print(f"export: {export.stat().st_size / 1e6:.0f} MB", flush=True)

    folder = arguments.out.resolve() / "whole"
    prepare(offerd, folder)
    seconds, moments, usage, output = whole(offerd, folder, export)
    print(output, end="")
    print(f"in one go: {seconds:.1f} s, {arguments.transactions / seconds:.0f} lines/s", flush=True)
    applying = moments.get("applying")
    if applying:
        stated = moments.get("stating", moments.get("closing", seconds))
        print(f"  staged at {arguments.transactions / applying:.0f} lines/s, applied at "
              f"{arguments.transactions / (stated - applying):.0f} lines/s")
    print(f"  peak memory {usage.ru_maxrss / 1024:.0f} MiB, {usage.ru_utime + usage.ru_stime:.0f} s of processor", flush=True)
    print(f"  database {(folder / 'offers.sqlite').stat().st_size / 1e6:.0f} MB", flush=True)
    if arguments.no_kill:
        return
    expected = state(folder)
    shutil.rmtree(folder)

    folder = arguments.out.resolve() / "killed"
    prepare(offerd, folder)
    last = killed(offerd, folder, export, arguments.transactions)
    print("same report:", last == output)
    found = state(folder)
    for table in TABLES:
        print(f"{'same' if found[table] == expected[table] else 'DIFFERENT'}: {table}")
    print(run(offerd, folder, "verify-ledger", "--config", "offerd.yaml").splitlines()[0])
    shutil.rmtree(folder)
    if found != expected or last != output:
        sys.exit(1)


if __name__ == "__main__":
    main()
