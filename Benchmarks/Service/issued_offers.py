"""`POST /v1/issued-offers` here and at the peer, in turn; then what the databases say of the same answers."""

import sqlite3
import sys
import threading
from pathlib import Path

import wrk
from peer import Peer
from service import Service
from settings import Settings

FORMATS = {"v2": '["v2"]', "v1": '["v1"]', "v1 and v2": '["v1","v2"]'}


def measure(settings: Settings, base: Service, peer_base: Path | None) -> list[dict]:
    """One row for each combination of signatures and connections."""
    rows = []
    for name, formats in FORMATS.items():
        for connections in settings.connections:
            settings.say(f"issued-offers: {name}, {connections} connections")
            rows.append(one(settings, base, peer_base, name, formats, connections))
    settings.clean("work")
    settings.clean("peer-work")
    return rows


def one(settings: Settings, base: Service, peer_base: Path | None, name: str, formats: str, connections: int) -> dict:
    """One combination, on fresh copies: every request is another customer's first."""
    ours = settings.work(base)
    services: dict[str, Service | Peer] = {"offerd": ours}
    ours.start()
    try:
        if peer_base:
            services["peer"] = Peer(settings.python, peer_base, settings.folder / "peer-work", settings.key)
        runs = interleaved(settings, services, formats, connections)
        row = {"signatures": name, "connections": connections, **{who: wrk.medians(of[1:]) for who, of in runs.items()}}
        answers = {who: sum(run["requests"] for run in of) for who, of in runs.items()}
        # The last customers of all were never asked for.
        row["exact"] = exact(ours, formats, settings.customers - 1)
    finally:
        for service in services.values():
            service.stop()
    most = connections * (settings.runs + 1)
    row["bytes"] = (ours.database.stat().st_size - base.database.stat().st_size) / max(answers["offerd"], 1)
    row["rows"] = check(ours.database, answers["offerd"], most, row["exact"], formats.count("v"))
    if peer_base:
        check_peer(services["peer"].database, answers["peer"], most)
    return row


def interleaved(settings: Settings, services: dict, formats: str, connections: int) -> dict[str, list[dict]]:
    """The first run of each warms the caches and says how long the customers last."""
    runs: dict[str, list[dict]] = {who: [] for who in services}
    first = dict.fromkeys(services, 0)
    for number in range(settings.runs + 1):
        for who, service in services.items():
            share = (settings.customers - 100 - first[who]) // (settings.runs + 1 - number)
            seconds = 1
            if number > 0:
                before = runs[who][-1]
                seconds = wrk.fitting_seconds(settings.seconds, before["requests"] / before["seconds"], share)
            figures = wrk.require_answers(
                service.load_with_wrk(
                    "/v1/issued-offers", f'"offerId":"comeback","formats":{formats}', first[who], share, connections, seconds),
                f"{who}, {formats}, {connections} connections")
            if figures["requests"] + connections > share:
                sys.exit(f"error: {figures['requests']} requests of {who} for {share} customers\nhint: raise --customers")
            first[who] += share
            runs[who].append(figures)
    return runs


def exact(service: Service, formats: str, last: int) -> int:
    """Twenty customers ask at once, each from two connections: each must get one offer, the same one twice."""
    found: dict[int, list[str]] = {last - number: [] for number in range(20)}

    def ask(customer: int) -> None:
        original = str(100_000_000_000 + customer * 64)
        answer = service.post(
            "/v1/issued-offers",
            {"offerId": "comeback", "customer": {"originalTransactionId": original}, "formats": [
                form for form in ("v1", "v2") if form in formats]})
        found[customer].append(answer["issuedOfferId"])

    asking = [threading.Thread(target=ask, args=(customer,)) for customer in found for _ in range(2)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    for customer, ids in found.items():
        if len(ids) != 2 or ids[0] != ids[1]:
            sys.exit(f"error: customer {customer} was answered {ids}, not twice the same offer")
    database = sqlite3.connect(service.database)
    kept = {row[0] for row in database.execute("SELECT id FROM issued_offer")}
    database.close()
    if not all(ids[0] in kept for ids in found.values()):
        sys.exit("error: an offer that was handed out is not in the database")
    return len(found)


def check(path: Path, answers: int, most: int, exact_answers: int, signatures: int) -> int:
    """Rows are answers: each of wrk's runs may end with one request under way on each connection. No limit is broken."""
    database = sqlite3.connect(path)
    one_value = lambda sql: database.execute(sql).fetchone()[0]
    owner = 1
    rows = one_value("SELECT count(*) FROM issued_offer") - owner - exact_answers
    twice = one_value(
        "SELECT count(*) FROM (SELECT 1 FROM issued_offer GROUP BY customer_id, offer_id HAVING count(*) > 1)")
    counted = one_value("SELECT amount FROM offer_counter WHERE unit = 'places'")
    incomplete = database.execute(
        """
        SELECT count(*) FROM issued_offer WHERE sequence > (SELECT min(sequence) FROM issued_offer) AND (
            (v1_nonce IS NOT NULL) + (jws_nonce IS NOT NULL) <> ? OR signings <> 1 OR typeof(record) <> 'blob'
            OR (SELECT count(*) FROM audit_event WHERE issued_offer = issued_offer.sequence) <> 1)
        """, (signatures,)).fetchone()[0]
    database.close()
    if not answers <= rows <= answers + most:
        sys.exit(f"error: {answers} answers, but {rows} issued offers in the database")
    if twice:
        sys.exit(f"error: {twice} customers have an offer twice that is limited to once")
    if counted != rows + owner + exact_answers:
        sys.exit(f"error: {rows + owner + exact_answers} issued offers, but the counter shows {counted}")
    if incomplete:
        sys.exit(f"error: {incomplete} issued offers lack a signature, a record or an audit event")
    return rows


def check_peer(path: Path, answers: int, most: int) -> None:
    """The same of the peer, whose schema allows an offer once for each customer."""
    database = sqlite3.connect(path)
    rows = database.execute("SELECT count(*) FROM issued_offer").fetchone()[0]
    counted = database.execute("SELECT used FROM counter").fetchone()[0]
    database.close()
    if not answers <= rows <= answers + most or counted != rows:
        sys.exit(f"error: the peer gave {answers} answers, has {rows} issued offers and counted {counted}")
