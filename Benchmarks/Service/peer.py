#!/usr/bin/env python3
"""An issue request here and at the peer (../Peer), in turn, on the same machine in the same run.

    peer.py --offerd PROGRAM --python PYTHON --folder FOLDER [--runs 5] [--seconds 4] [--connections 1,32,64]

Both have the same 12 transactions for each customer, check an API key, decide one offer that is limited per customer, in
total and by a budget, sign, and commit durably; every request is another customer's first. Printed are the medians over
the runs and their ratios. A request that is not answered with 200 or 201 fails the measurement.
"""

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from service import HERE, KEY, Service

PEER = HERE.parent / "Peer"
FORMATS = {"v2": '["v2"]', "v1 and v2": '["v1","v2"]'}


class Peer:
    """The peer under uvicorn with two workers; it answers `load_with_wrk` as ours does."""

    load_with_wrk = Service.load_with_wrk

    def __init__(self, python: Path, folder: Path, key: Path, customers: int):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        database = folder / "peer.sqlite"
        self.secret = subprocess.run(
            [python, PEER / "prepare.py", database, str(customers)], check=True, stdout=subprocess.PIPE, text=True
        ).stdout.strip()
        port = self.free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [python, "-m", "uvicorn", "--app-dir", PEER, "app:app", "--workers", "2", "--port", str(port), "--loop", "uvloop",
             "--http", "httptools", "--no-access-log", "--log-level", "warning"],
            env=dict(os.environ, PEER_KEY=str(key), PEER_DATABASE=str(database)), start_new_session=True,
        )
        for _ in range(300):
            try:
                urllib.request.urlopen(self.url, timeout=1)
            except urllib.error.HTTPError:
                return
            except OSError:
                time.sleep(0.1)
        self.stop()
        sys.exit("error: the peer did not start")

    @staticmethod
    def free_port() -> int:
        import socket

        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    def token(self, role: str) -> str:
        return self.secret

    def stop(self) -> None:
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(timeout=60)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda text: [int(part) for part in text.split(",")]
    parser.add_argument("--offerd", type=Path, required=True)
    parser.add_argument("--python", type=Path, required=True, help="a Python that has Peer/requirements.txt")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--connections", type=numbers, default=[1, 32, 64])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--customers", type=int, default=600_000)
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    ours = Service(arguments.offerd.resolve(), folder / "offerd")
    ours.prepare()
    subprocess.run(
        [sys.executable, HERE / "populate.py", ours.database, "--askers", str(arguments.customers)], check=True)
    ours.start()
    peer = Peer(arguments.python.absolute(), folder / "peer", ours.folder / f"keys/SubscriptionKey_{KEY}.p8",
                arguments.customers)
    rounds = len(arguments.connections) * len(FORMATS) * (arguments.runs + 1)
    share = arguments.customers // rounds
    first = 0
    print("| signatures | connections | offerd/s | peer/s | ratio | offerd p50, p99 ms | peer p50, p99 ms |")
    print("|---|---|---|---|---|---|---|")
    try:
        for name, formats in FORMATS.items():
            for connections in arguments.connections:
                runs: dict[str, list[dict]] = {"ours": [], "peer": []}
                for number in range(arguments.runs + 1):
                    for who, service in (("ours", ours), ("peer", peer)):
                        figures = service.load_with_wrk(
                            "/v1/issued-offers", f'"offerId":"comeback","formats":{formats}', first, share, connections,
                            arguments.seconds)
                        if figures["requests"] > share:
                            sys.exit(f"error: {figures['requests']} requests for {share} customers\nhint: raise --customers")
                        if figures["notOk"] or figures["socketErrors"]:
                            sys.exit(f"error: requests to {who} failed: {figures}")
                        # The first run warms the caches and is not counted.
                        if number > 0:
                            runs[who].append(figures)
                    first += share
                rate = {w: statistics.median(r["requests"] / r["seconds"] for r in of) for w, of in runs.items()}
                late = {
                    w: ", ".join(f"{statistics.median(r[p] for r in of) / 1000:.1f}" for p in ("p50", "p99"))
                    for w, of in runs.items()
                }
                print(
                    f"| {name} | {connections} | {rate['ours']:,.0f} | {rate['peer']:,.0f} "
                    f"| {rate['ours'] / rate['peer']:.1f} | {late['ours']} | {late['peer']} |", flush=True)
        print(f"resident after the load: {ours.resident_megabytes():.0f} MB")
    finally:
        ours.stop()
        peer.stop()


if __name__ == "__main__":
    main()
