#!/usr/bin/env python3
"""The latency of other requests while one client repeats an identical refusal.

    Benchmarks/Service/refusal_flood.py .build/release/offerd FOLDER [ROUNDS] [FLOOD_PER_SECOND]

Rounds without and with the flood alternate on one server, without rate limits; in each, 40 offers a second are asked for, each for
another unknown customer, which is decided and recorded durably. The flood comes from a process of its own, or the interpreter's lock
would count as the server's latency. It prints p50 and p99 of these, the ratio, and what the flood alone added to the database and its log.
"""

import http.client
import json
import multiprocessing
import sys
import time
from pathlib import Path

from service import Service

SECONDS, OTHERS_PER_SECOND = 10, 40
FLOODED = {"offerId": "comeback", "customer": {"customerId": "flood"}}


class Client:
    def __init__(self, service: Service):
        host, port = service.url.removeprefix("http://").split(":")
        self.connection = http.client.HTTPConnection(host, int(port), timeout=60)
        self.headers = {
            "Authorization": "Bearer " + service.token("client"), "Content-Type": "application/json"}

    def refused(self, body: dict) -> float:
        """Milliseconds until the whole answer, which must be a refusal."""
        began = time.perf_counter()
        self.connection.request("POST", "/v1/issued-offers", json.dumps(body), self.headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status not in (403, 422):
            raise SystemExit(f"no refusal: {answer.status} {text.decode()}")
        return (time.perf_counter() - began) * 1_000


def paced(rate: int, until: float, ask) -> None:
    """Asks at a steady rate; what comes late is asked at once."""
    due = time.perf_counter()
    while (now := time.perf_counter()) < until:
        if now < due:
            time.sleep(due - now)
        due += 1 / rate
        ask()


def flood(service: Service, rate: int, seconds: float) -> None:
    client = Client(service)
    paced(rate, time.perf_counter() + seconds, lambda: client.refused(FLOODED))


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def size(service: Service) -> int:
    return sum(Path(f"{service.database}{ending}").stat().st_size for ending in ("", "-wal"))


def main() -> None:
    service = Service(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    rate = int(sys.argv[4]) if len(sys.argv) > 4 else 50
    service.prepare()
    service.start()
    latencies: dict[bool, list[float]] = {False: [], True: []}
    number = 0
    try:
        client = Client(service)
        for _ in range(50):
            client.refused(FLOODED)
        for turn in range(2 * rounds):
            is_flooded = turn % 2 == 1
            until = time.perf_counter() + SECONDS
            flooding = multiprocessing.Process(target=flood, args=(service, rate, SECONDS))
            if is_flooded:
                flooding.start()

            def other() -> None:
                nonlocal number
                number += 1
                body = {"offerId": "comeback", "customer": {"customerId": f"other {number}"}}
                latencies[is_flooded].append(client.refused(body))

            paced(OTHERS_PER_SECOND, until, other)
            if is_flooded:
                flooding.join()
                if flooding.exitcode != 0:
                    raise SystemExit("the flood failed")
        before = size(service)
        for _ in range(10_000):
            client.refused(FLOODED)
        grown = size(service) - before
    finally:
        service.stop()
    for is_flooded, values in latencies.items():
        print(
            f"{'with' if is_flooded else 'without'} the flood: {len(values)} requests, "
            f"p50 {percentile(values, 0.5):.2f} ms, p99 {percentile(values, 0.99):.2f} ms")
    ratios = [percentile(latencies[True], share) / percentile(latencies[False], share) for share in (0.5, 0.99)]
    print(f"ratio: p50 {ratios[0]:.2f}, p99 {ratios[1]:.2f}; with {rate} identical refusals a second")
    print(f"10,000 more, one after the other, added {grown} bytes")


if __name__ == "__main__":
    main()
