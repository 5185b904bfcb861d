"""`POST /v1/issued-offers` on a disk whose flushes take 5 ms longer, beside the same without, in turn."""

import subprocess
from pathlib import Path

import wrk
from service import HERE, Service
from settings import Settings

DELAY = 5_000
CONNECTIONS = [1, 64]


def built(folder: Path) -> Path:
    """The library that is preloaded."""
    library = folder / "slow_disk.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, HERE / "slow_disk.c", "-ldl"], check=True)
    return library


def measure(settings: Settings, base: Service) -> list[dict]:
    """One row for each number of connections, with and without the delay."""
    library = built(settings.folder)
    rows = []
    for connections in CONNECTIONS:
        settings.say(f"slow disk: {connections} connections")
        runs: dict[int, list[dict]] = {0: [], DELAY: []}
        flushes: dict[int, list[float]] = {0: [], DELAY: []}
        for _ in range(settings.runs):
            for delay in runs:
                figures, flushed = one(settings, base, library, delay, connections)
                runs[delay].append(figures)
                flushes[delay].append(flushed)
        rows.append({
            "connections": connections,
            **{name: {**wrk.medians(runs[delay]), "flushes": sorted(flushes[delay])[len(flushes[delay]) // 2]}
               for name, delay in (("fast", 0), ("slow", DELAY))}})
    settings.clean("work")
    return rows


def one(settings: Settings, base: Service, library: Path, delay: int, connections: int) -> tuple[dict, float]:
    """A run on a fresh copy, after a second that is not counted; and how many flushes an issue took."""
    work = settings.work(base)
    counter = work.folder / "flushes"
    work.environment = {
        "LD_PRELOAD": str(library), "SLOW_DISK_MICROSECONDS": str(delay), "SLOW_DISK_COUNT": str(counter)}
    flushed = lambda: int.from_bytes(counter.read_bytes(), "little")
    half = settings.customers // 2
    load = lambda first, seconds: wrk.require_answers(
        work.load_with_wrk(
            "/v1/issued-offers", '"offerId":"comeback","formats":["v2"]', first, half, connections, seconds),
        f"a slow disk, {connections} connections")
    work.start()
    try:
        load(0, 1)
        before = flushed()
        figures = load(half, settings.seconds)
        return figures, (flushed() - before) / max(figures["requests"], 1)
    finally:
        work.stop()
