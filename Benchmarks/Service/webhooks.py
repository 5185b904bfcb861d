"""Issuing with webhooks beside issuing without: two services on one machine, measured in turn.

usage: webhooks.py OFFERD FOLDER [--customers N] [--seconds N] [--runs N] [--connections N] [--per-second N]

The webhook takes `offer.issued`, and a receiver on this machine answers every message at once. Prints both rates, the median of the
runs' ratios (the goal is 0.9 or more), and how many events arrived meanwhile. `python3-cryptography` must be installed.
"""

import argparse
import base64
import http.server
import secrets
import statistics
import sys
import threading
from pathlib import Path

import wrk
from service import Service
from settings import Settings


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    received = 0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        Receiver.received += 1
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def measure(service: Service, first: int, share: int, connections: int, seconds: int) -> float:
    """Offers per second, each of another customer. Only this service runs: what it has not delivered yet is its own load."""
    def load(first: int, seconds: int) -> dict:
        figures = wrk.require_answers(
            service.load_with_wrk(
                "/v1/issued-offers", '"offerId":"comeback","formats":["v2"]', first, share, connections, seconds), "webhooks")
        if figures["requests"] + connections > share:
            sys.exit(f"error: {figures['requests']} requests for {share} customers\nhint: raise --customers")
        return figures

    service.start()
    try:
        warm = load(first, 1)
        seconds = wrk.fitting_seconds(seconds, warm["requests"] / warm["seconds"], share)
        figures = load(first + share, seconds)
    finally:
        service.stop()
    return figures["requests"] / figures["seconds"]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("offerd", type=Path)
    parser.add_argument("folder", type=Path)
    for name, default in (("customers", 200_000), ("seconds", 10), ("runs", 5), ("connections", 32), ("per-second", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    settings = Settings(
        offerd=arguments.offerd.resolve(), programs=arguments.offerd.resolve().parent, python=Path(sys.executable),
        folder=arguments.folder.resolve(), quick=False, runs=arguments.runs, seconds=arguments.seconds,
        connections=[arguments.connections], customers=arguments.customers, minutes=0)
    settings.folder.mkdir(parents=True, exist_ok=True)
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    base = settings.base()
    services = {"without": settings.work(base, "without"), "with": settings.work(base, "with")}
    secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
    pace = f", perSecond: {arguments.per_second}" if arguments.per_second else ""
    with (services["with"].folder / "offerd.yaml").open("a", encoding="utf-8") as file:
        file.write(
            f"webhooks: [{{ url: 'http://127.0.0.1:{receiver.server_port}/', secrets: [{secret}], events: [offer.issued]{pace} }}]\n")
    share = (settings.customers - 100) // (2 * arguments.runs)
    rates: dict[str, list[float]] = {name: [] for name in services}
    for number in range(arguments.runs):
        for name, service in services.items():
            settings.say(f"round {number + 1}, {name} webhooks")
            rates[name].append(measure(service, 2 * number * share, share, arguments.connections, arguments.seconds))
    for name in services:
        settings.clean(name)
    ratios = [mine / other for mine, other in zip(rates["with"], rates["without"], strict=True)]
    print(
        f"without webhooks {statistics.median(rates['without']):,.0f} offers per second, with {statistics.median(rates['with']):,.0f}; "
        f"ratio {statistics.median(ratios):.3f} (from {min(ratios):.3f} to {max(ratios):.3f}); {Receiver.received:,} events arrived")
    return 0


if __name__ == "__main__":
    sys.exit(main())
