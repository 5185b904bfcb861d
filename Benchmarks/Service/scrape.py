#!/usr/bin/env python3
"""What it costs under load that Prometheus reads `/metrics`.

    Benchmarks/Service/scrape.py .build/release/offerd FOLDER [ROUNDS] [SECONDS]

One server decides offers for 32 connections of wrk. Rounds without and with one scrape a second alternate; Examples/monitoring scrapes
every 15 seconds. Printed are the median rates and the median of the rounds' ratios; then the server's CPU time for one
scrape, from a thousand of them without other load, and its share of the CPU at one scrape a second. Needs wrk.
"""

import os
import socket
import statistics
import sys
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import wrk
from service import Service

CONNECTIONS, CUSTOMERS, SCRAPES = 32, 1_000, 1_000


def rate(service: Service, seconds: int) -> float:
    figures = wrk.require_answers(
        service.load_with_wrk("/v1/decisions", '"offerIds":["comeback"]', 0, CUSTOMERS, CONNECTIONS, seconds), "decisions")
    return figures["requests"] / figures["seconds"]


def scrape(metrics: str) -> int:
    with urllib.request.urlopen(metrics, timeout=10) as answer:
        return len(answer.read())


def scraped_rate(service: Service, metrics: str, seconds: int) -> float:
    done = threading.Event()

    def scraping() -> None:
        scrape(metrics)
        while not done.wait(1):
            scrape(metrics)

    with ThreadPoolExecutor(1) as pool:
        scrapes = pool.submit(scraping)
        try:
            figure = rate(service, seconds)
        finally:
            done.set()
        scrapes.result()
    return figure


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def cpu_seconds(service: Service) -> float:
    fields = Path(f"/proc/{service.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    service = Service(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    seconds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    service.prepare()
    configuration = service.folder / "offerd.yaml"
    address = f"127.0.0.1:{free_port()}"
    configuration.write_text(configuration.read_text() + f"metrics: {address}\n")
    metrics = f"http://{address}/metrics"
    service.start()
    try:
        rate(service, 2)
        pairs = []
        for number in range(rounds):
            # Which of them comes first changes, so that neither gains by it.
            if number % 2 == 0:
                without, scraped = rate(service, seconds), scraped_rate(service, metrics, seconds)
            else:
                scraped, without = scraped_rate(service, metrics, seconds), rate(service, seconds)
            pairs.append((without, scraped))
        size = scrape(metrics)
        before = cpu_seconds(service)
        for _ in range(SCRAPES):
            scrape(metrics)
        cost = (cpu_seconds(service) - before) / SCRAPES
    finally:
        service.stop()
    without, scraped = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
    ratio = statistics.median(pair[1] / pair[0] for pair in pairs)
    print(f"decisions a second: {without:,.0f} without scraping, {scraped:,.0f} with one scrape a second, ratio {ratio:.3f}")
    print(f"one scrape: {size:,} bytes, {cost * 1000:.2f} ms of CPU, {cost / os.cpu_count():.2%} of {os.cpu_count()} cores at one a second")


if __name__ == "__main__":
    main()
