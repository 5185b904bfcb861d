"""What a request costs as work grows: more transactions a customer, more offers in the catalog."""

import json
import subprocess
import sys

import decisions
import wrk
from service import CATALOG, HERE, Service
from settings import Settings

CONNECTIONS = 32
# How many customers have so many transactions each, and how far apart their ids are.
HISTORIES = {1: (40_000, 64), 10: (40_000, 64), 100: (25_000, 256), 1_000: (12_000, 2_048)}
CATALOGS = [1, 10, 100]

ENDED = 60


def measure(settings: Settings, base: Service) -> dict:
    """Two tables."""
    return {"transactions": [history(settings, count) for count in HISTORIES], "offers": catalogs(settings, base)}


def history(settings: Settings, transactions: int) -> dict:
    """Issue requests and dry-runs of customers with so many transactions."""
    customers, stride = HISTORIES[transactions]
    settings.say(f"cost: {transactions:,} transactions a customer")
    service = Service(settings.offerd, settings.folder / "cost")
    service.prepare(
        [settings.python, HERE / "chain.py", "root"], lambda service, number: load_history(settings, service, number, transactions))
    subprocess.run(
        [sys.executable, HERE / "populate.py", service.database, "--askers", str(customers), "--stride", str(stride)],
        check=True, stderr=subprocess.DEVNULL)
    service.start()
    try:
        row = {"transactions": transactions, "decisions": asked(service, settings, customers, stride)}
        runs, first = [], 0
        for number in range(settings.runs + 1):
            share = (customers - first) // (settings.runs + 1 - number)
            figures = wrk.require_answers(
                load(service, "/v1/issued-offers", '"offerId":"comeback","formats":["v2"]', first, share, stride, 1),
                f"issued-offers, {transactions} transactions")
            if figures["requests"] > share:
                sys.exit(f"error: {figures['requests']} requests for {share} customers\nhint: raise HISTORIES in cost.py")
            first += share
            runs.append(figures)
        row["issued"] = wrk.medians(runs[1:])
    finally:
        service.stop()
        settings.clean("cost")
    return row


def load(service: Service, path: str, extra: str, first: int, count: int, stride: int, seconds: int) -> dict:
    return wrk.load(
        service.url, "issue.lua", CONNECTIONS, seconds, BENCH_TOKEN=service.token("client"), BENCH_PATH=path,
        BENCH_EXTRA=extra, BENCH_FIRST=first, BENCH_COUNT=count, BENCH_STRIDE=stride)


def asked(service: Service, settings: Settings, customers: int, stride: int) -> dict:
    runs = [
        wrk.require_answers(
            load(service, "/v1/decisions", '"offerIds":["comeback"]', 0, customers, stride, settings.seconds),
            "decisions")
        for _ in range(settings.runs + 1)
    ]
    return wrk.medians(runs[1:])


def load_history(settings: Settings, service: Service, account: str, transactions: int) -> None:
    """Loads a customer whose subscription ended sixty days ago, by as many periods as it takes to have paid a year or more."""
    signed = json.loads(subprocess.run(
        [settings.python, HERE / "history.py", service.folder / "root", account, str(transactions), str(ENDED)], check=True,
        stdout=subprocess.PIPE, text=True).stdout)
    purchases = signed.pop("signedTransactions")
    for start in range(0, len(purchases), 100):
        part = {"signedTransactions": purchases[start:start + 100]}
        is_last = start + 100 >= len(purchases)
        service.post("/v1/transactions", dict(part, **signed, historyComplete=True) if is_last else part)


def catalogs(settings: Settings, base: Service) -> list[dict]:
    """Issue requests for one offer, and dry-runs of every offer, with more and more of them in the catalog."""
    rows = []
    for count in CATALOGS:
        settings.say(f"cost: {count} offers in the catalog")
        work = settings.work(base)
        work.start()
        try:
            if count > 1:
                work.put_catalog(catalog_of(count), revision=1)
            row = {"offers": count}
            row["decisions"] = decisions.asked(work, settings, '"signals":{}', CONNECTIONS, settings.customers)
            share = settings.customers // (settings.runs + 1)
            runs = [
                wrk.require_answers(
                    work.load_with_wrk(
                        "/v1/issued-offers", '"offerId":"comeback","formats":["v2"]', number * share, share, CONNECTIONS, 1),
                    f"issued-offers, {count} offers")
                for number in range(settings.runs + 1)
            ]
            row["issued"] = wrk.medians(runs[1:])
        finally:
            work.stop()
        rows.append(row)
    settings.clean("work")
    return rows


def catalog_of(count: int) -> bytes:
    """The catalog of the benchmarks with further offers like its own, each with names and a bound of its own."""
    text = CATALOG.decode()
    head, offer = text.split("offers:\n")
    more = [
        offer.replace("id: comeback\n", f"id: comeback{number}\n").replace("comeback50", f"comeback{number}x50")
        .replace("between: [30, 180]", f"between: [30, {180 + number}]")
        for number in range(1, count)
    ]
    return (head + "offers:\n" + offer + "".join(more)).encode()
