#!/usr/bin/env python3
"""How fast an audience is counted, in how much memory, and how much slower requests are beside it.

    audience.py --offerd PROGRAM --folder FOLDER [--customers 1000000] [--connections 4] [--where CONDITION] [--keep]

A new database, grown by populate.py, has customers with twelve transactions each. Printed are the customers counted per
second alone and beside issue requests, the most memory of the process, and the latency of issue requests alone and beside
a count. With `--keep` a database that was grown before is measured again.
"""

import argparse
import json
import re
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

from service import HERE, Service

SECONDS = 8


def count(service: Service, where: str | None) -> tuple[dict, float]:
    """The result of a simulation, and how many seconds it took."""
    body = {"offerId": "comeback"} | ({"where": where} if where else {})
    began = time.monotonic()
    headers = {"Content-Type": "application/json"}
    simulation = service.call("POST", "/v1/simulations", json.dumps(body).encode(), "marketing", headers)["id"]
    while True:
        request = urllib.request.Request(
            f"{service.url}/v1/simulations/{simulation}",
            headers={"Authorization": f"Bearer {service.token('marketing')}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            shown = json.load(answer)
        if shown["state"] != "running":
            break
        time.sleep(0.05)
    if shown["state"] != "done":
        sys.exit(f"error: the simulation is {shown['state']}: {shown.get('failure')}")
    return shown["result"], time.monotonic() - began


def peak_megabytes(service: Service) -> float:
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024


def issue(service: Service, first: int, customers: int, connections: int) -> dict:
    return service.load_with_wrk(
        "/v1/issued-offers", '"offerId":"comeback","formats":["v2"]', first, customers, connections, SECONDS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--offerd", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--customers", type=int, default=1_000_000)
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--where")
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    service = Service(arguments.offerd.resolve(), arguments.folder.resolve())
    if not arguments.keep:
        service.prepare()
        subprocess.run(
            [sys.executable, HERE / "populate.py", service.database, "--askers", str(arguments.customers)], check=True)
    service.start()
    try:
        result, seconds = count(service, arguments.where)
        total = result["customers"]
        print(f"alone: {seconds:.1f} s, {arguments.customers / seconds:,.0f} customers/s, of which count {total}")
        print(f"most memory: {peak_megabytes(service):.0f} MB")
        half = arguments.customers // 2
        alone = issue(service, 0, half, arguments.connections)
        beside: list[float] = []
        counting = threading.Thread(target=lambda: beside.append(count(service, arguments.where)[1]))
        counting.start()
        time.sleep(1)
        busy = issue(service, half, half, arguments.connections)
        still = counting.is_alive()
        counting.join()
        for name, figures in (("alone", alone), ("beside a count", busy)):
            print(f"issue requests {name}: p50 {figures['p50'] / 1000:.2f} ms, p99 {figures['p99'] / 1000:.2f} ms")
        print(f"beside requests: {beside[0]:.1f} s, {'throughout' if still else 'it ended before them'}")
    finally:
        service.stop()


if __name__ == "__main__":
    main()
