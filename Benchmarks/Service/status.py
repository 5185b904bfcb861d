#!/usr/bin/env python3
"""What the status of a customer costs, beside a decision, and what a batch of 100 costs, beside one.

    Benchmarks/Service/status.py .build/release/offerd FOLDER [TRANSACTIONS] [ROUNDS]

A hundred customers of one server have TRANSACTIONS transactions each (12). Each round, on one connection, decides one offer by
`POST /v1/decisions`, and asks `POST /v1/customers/status` for one customer and for all hundred. Printed are the medians and their ratios.
Exits with 1 if a status takes longer than a decision, or a batch more than 5 times as long as one. Needs Python's `cryptography`.
"""

import statistics
import sys
import time
from pathlib import Path

from chain import DAY, Signer
from history import signed_history
from resigned import Client
from service import Service

CUSTOMERS, WARMUP = 100, 50


def main() -> None:
    service = Service(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
    transactions = int(sys.argv[3]) if len(sys.argv) > 3 else 12
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 500
    service.prepare()
    service.start()
    try:
        signer = Signer(service.folder / "root")
        now = time.time_ns() // 1_000_000
        client = Client(service)
        accounts = [str(7_050_000_000 + number) for number in range(CUSTOMERS)]
        for account in accounts:
            body = signed_history(signer, account, transactions, now + 10 * DAY, now - DAY)
            client.post("/v1/transactions", dict(body, historyComplete=True))
        customers = [{"appTransactionId": account} for account in accounts]
        took: dict[str, list[float]] = {"decision": [], "status": [], "batch": []}
        for number in range(rounds + WARMUP):
            customer = customers[number * 7 % CUSTOMERS]
            measured = {
                "decision": client.post("/v1/decisions", {"offerIds": ["comeback"], "customer": customer}),
                "status": client.post("/v1/customers/status", {"customers": [customer]}),
                "batch": client.post("/v1/customers/status", {"customers": customers}),
            }
            assert all(item["hasAccess"] for item in measured["batch"][1]["items"])
            if number >= WARMUP:
                for name, (elapsed, _) in measured.items():
                    took[name].append(elapsed)
    finally:
        service.stop()
    decision, status, batch = (statistics.median(took[name]) for name in ("decision", "status", "batch"))
    print(f"POST /v1/decisions, one offer: median {decision:.3f} ms")
    print(f"POST /v1/customers/status, one customer: median {status:.3f} ms, {status / decision:.2f} times a decision")
    print(f"the same, {CUSTOMERS} customers: median {batch:.3f} ms, {batch / status:.2f} times one customer")
    sys.exit(0 if status <= decision and batch <= 5 * status else 1)


if __name__ == "__main__":
    main()
