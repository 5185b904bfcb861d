"""`POST /v1/transactions`: one new signed transaction a request, its chain known, each kept durably."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import wrk
from service import HERE, Service
from settings import Settings

# How many a second may be asked at most before the prepared ones are too few.
EXPECTED_RATE = 6_000


def measure(settings: Settings, base: Service) -> list[dict]:
    """One row for each number of connections."""
    share = EXPECTED_RATE * (settings.seconds * settings.runs + 1)
    count = min(share * len(settings.connections), settings.customers * 49)
    share = count // len(settings.connections)
    settings.say(f"transactions: signing {count:,} of them")
    file = signed(settings, base, count)
    work = settings.work(base)
    before = stored(work)
    work.start()
    rows, answers = [], 0
    try:
        for place, connections in enumerate(settings.connections):
            settings.say(f"transactions: {connections} connections")
            runs, sent = [], place * share
            for number in range(settings.runs + 1):
                left = ((place + 1) * share - sent) // (settings.runs + 1 - number)
                rate = runs[-1]["requests"] / runs[-1]["seconds"] if runs else 1
                seconds = wrk.fitting_seconds(settings.seconds, rate, left) if runs else 1
                figures = wrk.require_answers(
                    send(work, file, sent, connections, seconds), f"transactions, {connections} connections")
                # wrk reads one line to see that the script works, and each connection may have one under way at the end.
                sent += figures["requests"] + connections + 1
                if sent > (place + 1) * share:
                    sys.exit("error: more transactions were sent than signed\nhint: raise EXPECTED_RATE in transactions.py")
                answers += figures["requests"]
                runs.append(figures)
            rows.append({"connections": connections, **wrk.medians(runs[1:])})
    finally:
        work.stop()
    kept = stored(work) - before
    most = sum(settings.connections) * (settings.runs + 1)
    if not answers <= kept <= answers + most:
        sys.exit(f"error: {answers} answers, but {kept} transactions were stored")
    file.unlink()
    settings.clean("work")
    return rows


def signed(settings: Settings, base: Service, count: int) -> Path:
    """A file with that number of transactions that the server has not seen."""
    file = settings.folder / "transactions.txt"
    subprocess.run(
        [settings.python, HERE / "chain.py", "transactions", base.folder / "root", "--customers", str(settings.customers),
         "--count", str(count), "--out", file], check=True)
    return file


def send(service: Service, file: Path, first: int, connections: int, seconds: int) -> dict:
    """Runs wrk once, each request with another of the file's transactions, and returns its figures."""
    return wrk.load(
        service.url, "transactions.lua", connections, seconds, BENCH_TOKEN=service.token("client"), BENCH_SIGNED=file,
        BENCH_FIRST=first)


def stored(service: Service) -> int:
    database = sqlite3.connect(service.database)
    count = database.execute("SELECT count(*) FROM history_transaction").fetchone()[0]
    database.close()
    return count
