#!/usr/bin/env python3
"""How the latency of an issue request grows with the number of issued offers in the file.

    growth.py --offerd PROGRAM --folder FOLDER [--sizes 10000,1000000] [--runs 5] [--seconds 4] [--connections 4,32]
              [--only prepare|measure]

For every size: a new database, grown by populate.py, then `--runs` runs of wrk at each number of connections; every
request is another customer's first one for an offer limited per customer, in total and by a budget. Printed are the
medians over the runs. A request that is not answered with 200 or 201 fails the measurement. Growing a file by ten million
takes long: `--only prepare` does just that, and `--only measure` measures once what was prepared.
"""

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

from service import HERE, Service


def prepare(service: Service, size: int, askers: int) -> None:
    service.prepare()
    subprocess.run(
        [sys.executable, HERE / "populate.py", service.database, "--askers", str(askers), "--issued", str(size)],
        check=True,
    )


def measure(service: Service, size: int, arguments: argparse.Namespace) -> list[dict]:
    askers = arguments.askers
    rows = []
    service.start()
    try:
        first = 0
        for connections in arguments.connections:
            runs = []
            for number in range(arguments.runs + 1):
                share = askers // (len(arguments.connections) * (arguments.runs + 1))
                figures = service.load_with_wrk(
                    "/v1/issued-offers", '"offerId":"comeback","formats":["v2"]', first, share, connections,
                    arguments.seconds,
                )
                first += share
                if figures["notOk"] or figures["socketErrors"]:
                    sys.exit(f"error: requests failed: {figures}")
                if figures["requests"] > share:
                    sys.exit(f"error: {figures['requests']} requests for {share} customers\nhint: raise --askers")
                # The first run warms the caches and is not counted.
                if number > 0:
                    runs.append(figures)
            row = {
                "size": size, "connections": connections,
                **{name: statistics.median(run[name] for run in runs) for name in ("p50", "p99")},
                "rate": statistics.median(run["requests"] / run["seconds"] for run in runs),
                "ready": service.ready_milliseconds, "resident": service.resident_megabytes(),
                "gigabytes": service.database.stat().st_size / 1e9,
            }
            rows.append(row)
            print_row(row)
    finally:
        service.stop()
    return rows


def print_row(row: dict) -> None:
    print(
        f"| {row['size']:>10,} | {row['gigabytes']:>5.1f} | {row['connections']:>11} | {row['rate']:>7,.0f} "
        f"| {row['p50'] / 1000:>6.2f} | {row['p99'] / 1000:>6.2f} | {row['ready']:>5.0f} | {row['resident']:>5.0f} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda text: [int(part) for part in text.split(",")]
    parser.add_argument("--offerd", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--sizes", type=numbers, default=[10_000, 1_000_000])
    parser.add_argument("--connections", type=numbers, default=[4, 32])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--askers", type=int, default=300_000)
    parser.add_argument("--only", choices=["prepare", "measure"])
    arguments = parser.parse_args()
    services = {
        size: Service(arguments.offerd.resolve(), arguments.folder.resolve() / str(size)) for size in arguments.sizes
    }
    if arguments.only != "measure":
        for size, service in services.items():
            prepare(service, size, arguments.askers)
    if arguments.only == "prepare":
        return
    print("| issued offers | GB | connections | requests/s | p50 ms | p99 ms | ready ms | resident MB |")
    print("|---|---|---|---|---|---|---|---|")
    rows = [row for size, service in services.items() for row in measure(service, size, arguments)]
    for connections in arguments.connections:
        of = [row for row in rows if row["connections"] == connections]
        for row in of[1:]:
            print(
                f"{connections} connections: p99 with {row['size']:,} is {row['p99'] / of[0]['p99']:.2f} times that with "
                f"{of[0]['size']:,}, p50 {row['p50'] / of[0]['p50']:.2f} times"
            )


if __name__ == "__main__":
    main()
