#!/usr/bin/env python3
"""What a customer costs whose transactions were signed again at each launch of the app.

    Benchmarks/Service/resigned.py .build/release/offerd FOLDER [TIMES] [ROUNDS]

Two customers of one server have 200 transactions each. One's were signed again once, the other's TIMES times (500), and sent each time.
Each round decides once for either by `POST /v1/decisions`, and issues an offer to either, which is voided again. Printed are the
medians, their ratio, and what the further signings added to the database. Needs Python's `cryptography`.
"""

import http.client
import json
import sqlite3
import statistics
import sys
import time
from pathlib import Path

from chain import DAY, Signer
from history import signed_history
from service import Service

TRANSACTIONS, ENDED, WARMUP = 200, 60, 20
ONCE, OFTEN = "7040000021", "7040000022"


class Client:
    def __init__(self, service: Service):
        host, port = service.url.removeprefix("http://").split(":")
        self.connection = http.client.HTTPConnection(host, int(port), timeout=60)
        self.service = service

    def post(self, path: str, body: dict, role: str = "client") -> tuple[float, dict]:
        """Milliseconds until the whole answer, and the answer."""
        headers = {"Authorization": "Bearer " + self.service.token(role), "Content-Type": "application/json"}
        text = json.dumps(body)
        began = time.perf_counter()
        self.connection.request("POST", path, text, headers)
        response = self.connection.getresponse()
        answer = response.read()
        elapsed = (time.perf_counter() - began) * 1_000
        if response.status not in (200, 201):
            raise SystemExit(f"error: {path} answered {response.status}: {answer.decode()}")
        return elapsed, json.loads(answer)


def launch(client: Client, signer: Signer, account: str, ended: int, signed: int) -> None:
    """Sends everything, newly signed, as the app does when it starts."""
    body = signed_history(signer, account, TRANSACTIONS, ended, signed)
    transactions = body.pop("signedTransactions")
    client.post("/v1/transactions", {"signedTransactions": transactions[:100]})
    client.post("/v1/transactions", dict(body, signedTransactions=transactions[100:], historyComplete=True))


def size(service: Service) -> int:
    """Bytes of the database with what is in its log."""
    connection = sqlite3.connect(service.database)
    try:
        return connection.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()[0]
    finally:
        connection.close()


def main() -> None:
    service = Service(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
    times = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 500
    service.prepare()
    service.start()
    try:
        signer = Signer(service.folder / "root")
        ended = time.time_ns() // 1_000_000 - ENDED * DAY
        client = Client(service)
        sizes = []
        for number in range(times + 1):
            for account in (ONCE, OFTEN) if number < 2 else (OFTEN,):
                launch(client, signer, account, ended, ended + DAY + number * 60_000)
            sizes.append(size(service))
        took: dict[tuple[str, str], list[float]] = {}
        for number in range(rounds + WARMUP):
            for account in (ONCE, OFTEN):
                customer = {"appTransactionId": account}
                decided, _ = client.post("/v1/decisions", {"offerIds": ["comeback"], "customer": customer})
                issued, answer = client.post("/v1/issued-offers", {"offerId": "comeback", "customer": customer})
                client.post(
                    f"/v1/issued-offers/{answer['issuedOfferId']}/void", {"reason": "measured", "release": True}, "support")
                if number >= WARMUP:
                    took.setdefault(("/v1/decisions", account), []).append(decided)
                    took.setdefault(("/v1/issued-offers", account), []).append(issued)
    finally:
        service.stop()
    for path in ("/v1/decisions", "/v1/issued-offers"):
        once, often = (statistics.median(took[path, account]) for account in (ONCE, OFTEN))
        print(f"POST {path}: median {once:.2f} ms after one more signing, {often:.2f} ms after {times}, ratio {often / once:.2f}")
    print(f"the further {times - 1} signings added {sizes[-1] - sizes[1]:,} bytes")


if __name__ == "__main__":
    main()
