"""One run of wrk, and what several of them come to."""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent


def load(url: str, script: str, connections: int, seconds: int, **values: object) -> dict:
    """Runs wrk with one thread and a script that is told the values by its environment; returns its figures."""
    output = subprocess.run(
        ["wrk", "--threads", "1", "--connections", str(connections), "--duration", f"{seconds}s", "--timeout", "10s",
         "--script", str(SCRIPTS / script), url],
        stdout=subprocess.PIPE, text=True,
        env=dict(os.environ, BENCH_THREADS="1", BENCH_SCRIPTS=str(SCRIPTS), **{name: str(value) for name, value in values.items()}),
    )
    found = [line for line in output.stdout.splitlines() if line.startswith("RESULT")]
    if output.returncode != 0 or not found:
        sys.exit(f"error: wrk did not finish: {output.stdout}")
    return json.loads(found[0][len("RESULT "):])


def require_answers(figures: dict, what: str) -> dict:
    """Ends the measurement at a request that was not answered, or answered with no success."""
    if figures["notOk"] or figures["socketErrors"]:
        sys.exit(f"error: requests of {what} failed: {figures}")
    return figures


def medians(runs: list[dict]) -> dict:
    """The medians of several runs: rate, latencies in ms, how many were answered in all."""
    figures = {
        "rate": statistics.median(run["requests"] / run["seconds"] for run in runs),
        "answers": sum(run["requests"] for run in runs),
        "runs": len(runs),
    }
    for name in ("p50", "p90", "p99", "p999", "max"):
        figures[name] = statistics.median(run[name] for run in runs) / 1000
    return figures


def fitting_seconds(wanted: int, rate: float, available: int) -> int:
    """How long a run may take until every customer has asked; one second at least."""
    return max(1, min(wanted, int(available * 0.85 / max(rate, 1))))
