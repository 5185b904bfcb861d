#!/usr/bin/env python3
"""The latency of a backend's decisions while strangers, or one holder of an `app` key, send the worst bodies they can.

    Benchmarks/Service/strangers.py .build/release/offerd FOLDER [--rounds 4] [--seconds 10] [--connections 200]

Rounds alternate on one server with the default rate limits: quiet, beside strangers on that number of connections, each of which sends the next
body as soon as the last is answered, and beside 50 requests a second with an `app` key. In each, 40 decisions a second are asked for.
It prints p50 and p99 of the decisions, their ratios to the quiet rounds, and what the others were answered.
"""

import argparse
import collections
import http.client
import json
import multiprocessing
import selectors
import socket
import sys
import time
from pathlib import Path

from costly import NOTIFICATIONS, bodies
from refusal_flood import paced, percentile
from service import HERE, Service

# Two customers are asked about in turn: about each, 20 decisions a second are allowed.
DECISIONS_PER_SECOND, APP_REQUESTS_PER_SECOND = 40, 50
CUSTOMERS = ("7040000012", "7040000013")


def address(service: Service) -> tuple[str, int]:
    host, port = service.url.removeprefix("http://").split(":")
    return host, int(port)


def request(path: str, body: bytes, token: str = "") -> bytes:
    authorization = f"Authorization: Bearer {token}\r\n" if token else ""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: bench\r\n{authorization}Content-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n")
    return head.encode() + body


class Stranger:
    """A connection that sends one body after the other."""

    def __init__(self, target: tuple[str, int], requests: list[bytes], first: int):
        self.requests, self.number = requests, first
        self.socket = socket.create_connection(target)
        self.socket.setblocking(False)
        self.next()

    def next(self) -> None:
        self.left = memoryview(self.requests[self.number % len(self.requests)])
        self.number += 1
        self.received = b""

    def send(self) -> None:
        self.left = self.left[self.socket.send(self.left):]

    def read(self) -> int | None:
        """The status, once the answer is whole and all is sent."""
        data = self.socket.recv(65_536)
        if not data:
            raise ConnectionError("the server closed the connection")
        self.received += data
        head, found, body = self.received.partition(b"\r\n\r\n")
        if not found:
            return None
        length = next(
            (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
        return int(head.split(b" ")[1]) if len(body) >= length else None


def strangers(service: Service, requests: list[bytes], connections: int, seconds: float, results) -> None:
    selector = selectors.DefaultSelector()
    statuses: collections.Counter = collections.Counter()
    for number in range(connections):
        stranger = Stranger(address(service), requests, number)
        selector.register(stranger.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, stranger)
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        for key, events in selector.select(timeout=0.1):
            stranger = key.data
            if events & selectors.EVENT_WRITE:
                stranger.send()
                if not stranger.left:
                    selector.modify(stranger.socket, selectors.EVENT_READ, stranger)
            if events & selectors.EVENT_READ:
                status = stranger.read()
                if status is not None and not stranger.left:
                    statuses[status] += 1
                    stranger.next()
                    selector.modify(stranger.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, stranger)
    results.put(statuses)


def app_holder(service: Service, found: list[tuple[str, bytes]], seconds: float, results) -> None:
    connection = http.client.HTTPConnection(*address(service), timeout=60)
    headers = {"Authorization": "Bearer " + service.token("app"), "Content-Type": "application/json"}
    statuses: collections.Counter = collections.Counter()

    def ask() -> None:
        path, body = found[statuses.total() % len(found)]
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        answer.read()
        statuses[answer.status] += 1

    paced(APP_REQUESTS_PER_SECOND, time.perf_counter() + seconds, ask)
    results.put(statuses)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("offerd", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--connections", type=int, default=200)
    arguments = parser.parse_args()
    service = Service(arguments.offerd.resolve(), arguments.folder.resolve())
    service.prepare(root=[sys.executable, str(HERE / "chain.py"), "root"])
    configuration = service.folder / "offerd.yaml"
    configuration.write_text(configuration.read_text().replace("rateLimits: off\n", ""))
    known = bodies(service.folder)
    unsigned = [request(NOTIFICATIONS, body) for role, _, _, _, body in known if role == ""]
    of_apps = [(path, body) for role, _, path, _, body in known if role == "app"]
    results = multiprocessing.Queue()
    kinds = {
        "quiet": None,
        f"{arguments.connections} connections without a key": lambda: multiprocessing.Process(
            target=strangers, args=(service, unsigned, arguments.connections, arguments.seconds + 1, results)),
        f"{APP_REQUESTS_PER_SECOND} requests a second with an `app` key": lambda: multiprocessing.Process(
            target=app_holder, args=(service, of_apps, arguments.seconds + 1, results)),
    }
    latencies: dict[str, list[float]] = {kind: [] for kind in kinds}
    answers: dict[str, collections.Counter] = {kind: collections.Counter() for kind in kinds}
    service.start()
    try:
        client = http.client.HTTPConnection(*address(service), timeout=60)
        headers = {"Authorization": "Bearer " + service.token("client"), "Content-Type": "application/json"}
        questions = [
            json.dumps({"customer": {"appTransactionId": customer}, "offerIds": ["comeback"]}) for customer in CUSTOMERS]
        asked = 0

        def decide(into: list[float]) -> None:
            nonlocal asked
            asked += 1
            began = time.perf_counter()
            client.request("POST", "/v1/decisions", questions[asked % len(questions)], headers)
            answer = client.getresponse()
            text = answer.read()
            if answer.status != 200:
                raise SystemExit(f"no decision: {answer.status} {text.decode()}")
            into.append((time.perf_counter() - began) * 1_000)

        for _ in range(100):
            decide([])
        for _ in range(arguments.rounds):
            for kind, make in kinds.items():
                beside = make() if make else None
                if beside:
                    beside.start()
                    time.sleep(0.5)
                paced(
                    DECISIONS_PER_SECOND, time.perf_counter() + arguments.seconds - 1, lambda: decide(latencies[kind]))
                if beside:
                    answers[kind] += results.get(timeout=60)
                    beside.join()
                    if beside.exitcode != 0:
                        raise SystemExit("the load failed")
    finally:
        service.stop()
    quiet = latencies["quiet"]
    for kind, values in latencies.items():
        p50, p99 = percentile(values, 0.5), percentile(values, 0.99)
        ratios = f"{p50 / percentile(quiet, 0.5):.2f} and {p99 / percentile(quiet, 0.99):.2f} times" if values is not quiet else ""
        others = ", ".join(f"{count} × {status}" for status, count in sorted(answers[kind].items()))
        print(f"{kind}: {len(values)} decisions, p50 {p50:.2f} ms, p99 {p99:.2f} ms {ratios} {others}")


if __name__ == "__main__":
    main()
