"""`offerd` on PostgreSQL, beside SQLite: over a socket, 2 ms away, and three servers beside one."""

import sqlite3
import statistics
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import transactions
import wrk
from cluster import Cluster, move
from cpu_limit import CPULimit, Unlimited
from service import Service
from settings import Settings

ROUND_TRIP = 2_000
CONNECTIONS = [64, 1]
TRANSACTIONS_CONNECTIONS = 32
SERVERS, CONNECTIONS_EACH, CORES = 3, 21, 0.25
OFFER = '"offerId":"comeback","formats":["v2"]'

# Runs one load: who, the number of the first customer or transaction, how many there are, seconds.
Load = Callable[[str, int, int, int], dict]


def measure(settings: Settings, base: Service) -> dict:
    settings.say("PostgreSQL: making a server, and the database with the same customers")
    cluster = Cluster(settings.folder / "postgres")
    try:
        cluster.start()
        move(base, cluster, "base", settings.folder / "work")
        cluster.start_far(settings.folder, ROUND_TRIP)
        return {
            "version": cluster.version,
            "trip": {"socket": cluster.trip(is_far=False), "far": cluster.trip(is_far=True)},
            "issued": [issued(settings, base, cluster, connections) for connections in CONNECTIONS],
            "transactions": signed_data(settings, base, cluster),
            "servers": {
                "limited": servers(settings, base, cluster, CORES), "unlimited": servers(settings, base, cluster, None)},
        }
    finally:
        cluster.stop()


class Three:
    """A fresh copy of the database for each of SQLite, PostgreSQL over its socket, and PostgreSQL far away."""

    def __init__(self, settings: Settings, base: Service, cluster: Cluster):
        self.settings, self.cluster = settings, cluster
        for name in ("socket", "far"):
            cluster.create(name, template="base")
        self.services = {
            "sqlite": settings.work(base),
            **{name: cluster.service(base, settings.folder / f"work-{name}", name, is_far=name == "far") for name in ("socket", "far")}}

    def __enter__(self) -> dict[str, Service]:
        try:
            for service in self.services.values():
                service.start()
        except BaseException:
            self.__exit__()
            raise
        return self.services

    def stop(self) -> None:
        """Lets the servers finish what is under way: what is asked of the databases next holds still."""
        for service in self.services.values():
            service.stop()

    def __exit__(self, *_: object) -> None:
        self.stop()
        for name, service in self.services.items():
            self.settings.clean(service.folder.name)
            if name != "sqlite":
                self.cluster.drop(name)

    def ask(self, who: str, question: str) -> int:
        if who != "sqlite":
            return self.cluster.number(who, question)
        database = sqlite3.connect(self.services[who].database)
        try:
            return database.execute(question).fetchone()[0]
        finally:
            database.close()


def in_turn(
    settings: Settings, names: list[str], available: int, connections: int, load: Load, cluster: Cluster
) -> dict[str, dict]:
    """The medians of runs that alternate, in both orders: what one leaves to be written to the disk slows the next.

    The first run of each warms the caches and says how long the customers last. After it PostgreSQL counts its rows, as
    it does by itself within a minute: until then its plans are for tables that are nearly empty.
    """
    runs: dict[str, list[dict]] = {who: [] for who in names}
    first = dict.fromkeys(names, 0)
    for number in range(settings.runs + 1):
        for who in names if number % 2 == 0 else reversed(names):
            share = (available - first[who]) // (settings.runs + 1 - number)
            seconds = 1
            if number > 0:
                before = runs[who][-1]
                seconds = wrk.fitting_seconds(settings.seconds, before["requests"] / before["seconds"], share)
            figures = load(who, first[who], share, seconds)
            if figures["requests"] + connections >= share:
                sys.exit(f"error: {figures['requests']} requests of {who}, and only {share} are different\nhint: raise --customers")
            first[who] += share
            if number == 0 and who != "sqlite":
                cluster.ask(who, "ANALYZE")
            runs[who].append(figures)
    found = {}
    for who, figures in runs.items():
        failed = sum(run["notOk"] + run["socketErrors"] for run in figures)
        answered = sum(run["requests"] - run["notOk"] for run in figures)
        for run in figures:
            run["requests"] -= run["notOk"]
        found[who] = {**wrk.medians(figures[1:]), "failed": failed, "answered": answered,
                      "most": connections * (settings.runs + 1) + failed}
    return found


def issued(settings: Settings, base: Service, cluster: Cluster, connections: int) -> dict:
    """Issuing to known customers; each asks once."""
    settings.say(f"PostgreSQL: issued-offers, {connections} connections")
    three = Three(settings, base, cluster)
    with three as services:
        found = in_turn(
            settings, list(services), settings.customers - 100, connections,
            lambda who, first, share, seconds: services[who].load_with_wrk(
                "/v1/issued-offers", OFFER, first, share, connections, seconds), cluster)
        three.stop()
        for who, figures in found.items():
            check_issued(lambda question: three.ask(who, question), who, figures)
    return {"connections": connections, **found}


def check_issued(ask: Callable[[str], int], who: str, figures: dict) -> None:
    """Rows are answers, but for requests that were under way when a run ended or that failed. No limit is broken."""
    # The customer of the prepared database who was issued an offer.
    owner = 1
    rows = ask("SELECT count(*) FROM issued_offer") - owner
    twice = ask(
        "SELECT count(*) FROM (SELECT 1 FROM issued_offer GROUP BY customer_id, offer_id HAVING count(*) > 1) AS twice")
    counted = ask("SELECT amount FROM offer_counter WHERE unit = 'places'") - owner
    if not figures["answered"] <= rows <= figures["answered"] + figures["most"]:
        sys.exit(f"error: {who} gave {figures['answered']} answers, but has {rows} issued offers")
    if twice or counted != rows:
        sys.exit(f"error: {who} has {rows} issued offers and counted {counted}; {twice} customers have one twice")


def signed_data(settings: Settings, base: Service, cluster: Cluster) -> dict:
    """One new signed transaction a request, the same for each."""
    connections = TRANSACTIONS_CONNECTIONS
    count = min(transactions.EXPECTED_RATE * (settings.seconds * settings.runs + 1), settings.customers * 49)
    settings.say(f"PostgreSQL: signing {count:,} transactions")
    signed = transactions.signed(settings, base, count)
    settings.say(f"PostgreSQL: transactions, {connections} connections")
    three = Three(settings, base, cluster)
    stored = "SELECT count(*) FROM history_transaction"
    with three as services:
        before = three.ask("sqlite", stored)
        found = in_turn(
            settings, list(services), count, connections,
            lambda who, first, share, seconds: transactions.send(services[who], signed, first, connections, seconds), cluster)
        three.stop()
        for who, figures in found.items():
            kept = three.ask(who, stored) - before
            if not figures["answered"] <= kept <= figures["answered"] + figures["most"]:
                sys.exit(f"error: {who} gave {figures['answered']} answers, but stored {kept} transactions")
    signed.unlink()
    return {"connections": connections, **found}


def servers(settings: Settings, base: Service, cluster: Cluster, cores: float | None) -> dict:
    """One server and three, each behind a wrk of its own or all three wrks at one, on databases of their own, in turn."""
    settings.say(f"PostgreSQL: {SERVERS} servers beside one, {'all of the processor' if cores is None else f'{cores} cores each'}")
    groups: dict[str, list[Service]] = {}
    limits: list[CPULimit] = []
    connections = SERVERS * CONNECTIONS_EACH
    try:
        for who, count in (("one", 1), ("three", SERVERS)):
            cluster.create(who, template="base")
            groups[who] = [cluster.service(base, settings.folder / f"work-{who}-{number}", who) for number in range(count)]
            for service in groups[who]:
                if cores is not None:
                    limits.append(CPULimit(cores))
                service.start()
                if cores is not None:
                    limits[-1].add(service.process.pid)
        found = in_turn(
            settings, list(groups), settings.customers - 100, connections,
            lambda who, first, share, seconds: together(groups[who], first, share, seconds), cluster)
        for service in (service for group in groups.values() for service in group):
            service.stop()
        for who, figures in found.items():
            check_issued(lambda question: cluster.number(who, question), who, figures)
        return found
    except Unlimited as why:
        return {"why": str(why)}
    finally:
        for who, group in groups.items():
            for service in group:
                service.stop()
                settings.clean(service.folder.name)
            cluster.drop(who)
        for limit in limits:
            limit.remove()


def together(services: list[Service], first: int, share: int, seconds: int) -> dict:
    """Three wrks at once, each with customers of its own; the latencies are those of the slowest."""
    each = share // SERVERS
    with ThreadPoolExecutor(SERVERS) as pool:
        runs = list(pool.map(
            lambda number: services[number % len(services)].load_with_wrk(
                "/v1/issued-offers", OFFER, first + number * each, each, CONNECTIONS_EACH, seconds), range(SERVERS)))
    # What the busiest asked decides whether the customers last.
    if max(run["requests"] for run in runs) + CONNECTIONS_EACH > each:
        sys.exit(f"error: more requests than the {each} customers of one server\nhint: raise --customers")
    return {
        "seconds": statistics.mean(run["seconds"] for run in runs),
        **{name: sum(run[name] for run in runs) for name in ("requests", "notOk", "socketErrors")},
        **{name: max(run[name] for run in runs) for name in ("p50", "p90", "p99", "p999", "max")}}
