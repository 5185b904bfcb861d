#!/usr/bin/env python3
"""What a customer with one purchase and one issued offer takes in a database, and a connection in PostgreSQL's memory.

    capacity.py --offerd PROGRAM --folder FOLDER [--database postgres://…] [--customers 100000] [--connections 32]

Without --database it fills an SQLite file in FOLDER. Each customer is one request with a new signed purchase, to which an offer is
issued, V2, through HTTP with an Idempotency-Key, as a backend sends it. Printed are the bytes a row of each table that grew, its indexes
included, and their sum; on PostgreSQL also the memory of each process of the server that serves a connection. The database is empty before,
and is left as it is. On PostgreSQL run it as a user who may read those processes.
"""

import argparse
import http.client
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

from service import CATALOG, HERE, Service

OFFER = b"""
  - id: stay
    type: promotional
    offerIdentifier: stay50
    products: [com.example.pro.monthly]
    paymentMode: payAsYouGo
    period: P1M
    periodCount: 3
    price: { amount: "4.99", currency: USD }
    status: active
    limits:
      - { count: 1, per: customer }
      - { count: 200000000 }
    formats: [v2]
"""


def sign(service: Service, count: int) -> Path:
    out = service.folder / "purchases.txt"
    subprocess.run(
        [sys.executable, HERE / "chain.py", "transactions", service.folder / "root", "--customers", str(count),
         "--count", str(count), "--whole", "--out", out], check=True)
    return out


def fill(service: Service, purchases: Path, connections: int) -> int:
    """Asks for an offer for each of the signed purchases; the number of offers issued."""
    lock, issued = threading.Lock(), 0
    host = service.url.removeprefix("http://")
    headers = {"Authorization": f"Bearer {service.token('client')}", "Content-Type": "application/json"}
    file, number = open(purchases, encoding="ascii"), 0

    def client() -> None:
        nonlocal issued, number
        connection = http.client.HTTPConnection(host, timeout=60)
        while True:
            with lock:
                line, number = file.readline().strip(), number + 1
                key = f"capacity-{number}"
            if not line:
                return
            body = json.dumps({"offerId": "stay", "signedTransactions": [line]})
            connection.request("POST", "/v1/issued-offers", body, {**headers, "Idempotency-Key": key})
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 201:
                os.write(2, f"error: {answer.status}: {text[:500].decode()}\n".encode())
                os._exit(1)
            with lock:
                issued += 1
                if issued % 10_000 == 0:
                    print(f"{issued:,} offers", file=sys.stderr, flush=True)

    threads = [threading.Thread(target=client) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return issued


def postgres(url: str, sql: str) -> list[list[str]]:
    out = subprocess.run(
        ["psql", url, "--no-psqlrc", "--tuples-only", "--no-align", "--field-separator", "|", "--command", sql], check=True,
        stdout=subprocess.PIPE, text=True).stdout
    return [line.split("|") for line in out.splitlines()]


def tables_of_postgres(url: str) -> dict[str, tuple[int, int, int]]:
    """Rows, bytes, and bytes of the indexes alone, of each table."""
    found = postgres(url, "SELECT relname, pg_total_relation_size(oid), pg_indexes_size(oid) FROM pg_class "
                          "WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
    return {name: (int(postgres(url, f"SELECT count(*) FROM {name}")[0][0]), int(size), int(index)) for name, size, index in found}


def tables_of_sqlite(path: Path) -> dict[str, tuple[int, int, int]]:
    # Python's own SQLite may lack dbstat.
    def ask(sql: str) -> list[list[str]]:
        out = subprocess.run(["sqlite3", "-readonly", "-separator", "|", path, sql], check=True, stdout=subprocess.PIPE, text=True)
        return [line.split("|") for line in out.stdout.splitlines()]

    sizes = {name: int(size) for name, size in ask("SELECT name, sum(pgsize) FROM dbstat GROUP BY name")}
    tables: dict[str, tuple[int, int, int]] = {}
    for name, kind, table in ask("SELECT name, type, tbl_name FROM sqlite_schema WHERE type IN ('table', 'index')"):
        rows, size, index = tables.get(table, (0, 0, 0))
        if kind == "table":
            rows = int(ask(f"SELECT count(*) FROM {name}")[0][0])
        tables[table] = (rows, size + sizes.get(name, 0), index + (sizes.get(name, 0) if kind == "index" else 0))
    return tables


def print_tables(tables: dict[str, tuple[int, int, int]], customers: int) -> None:
    print("| table | rows | rows a customer | bytes a row | of it indexes | MB |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, (rows, size, index) in sorted(tables.items(), key=lambda item: -item[1][1]):
        if rows * 10 >= customers:
            print(f"| `{name}` | {rows:,} | {rows / customers:.2f} | {size / rows:,.0f} | {index / rows:,.0f} | {size / 1e6:,.1f} |")
    total = sum(size for _, size, _ in tables.values())
    print(f"all tables: {total / 1e6:,.1f} MB, {total / customers:,.0f} bytes a customer")


def print_memory(url: str) -> None:
    """The resident memory of the processes of offerd's connections, and what each has for itself."""
    pids = [int(row[0]) for row in postgres(
        url, "SELECT pid FROM pg_stat_activity WHERE application_name = 'offerd' AND backend_type = 'client backend'")]
    found: dict[str, list[int]] = {"Rss": [], "Pss": [], "Private_Dirty": []}
    for pid in pids:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        for name, values in found.items():
            values.append(int(re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE).group(1)))
    for name, values in found.items():
        print(f"{len(values)} connections, {name}: median {statistics.median(values) / 1024:.1f} MB, "
              f"largest {max(values) / 1024:.1f} MB, sum {sum(values) / 1024:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--offerd", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--database")
    parser.add_argument("--customers", type=int, default=100_000)
    parser.add_argument("--connections", type=int, default=32)
    arguments = parser.parse_args()
    if arguments.database:
        os.environ["OFFERD_DATABASE"] = arguments.database
    service = Service(arguments.offerd.resolve(), arguments.folder.resolve())
    service.prepare()
    purchases = sign(service, arguments.customers)
    service.start()
    try:
        service.put_catalog(CATALOG + OFFER, revision=1)
        began = time.monotonic()
        issued = fill(service, purchases, arguments.connections)
        seconds = time.monotonic() - began
        print(f"{issued:,} offers in {seconds:,.0f} s, {issued / seconds:,.0f} a second; offerd: {service.resident_megabytes():.0f} MB resident")
        if arguments.database:
            print_memory(arguments.database)
    finally:
        service.stop()
        purchases.unlink()
    if arguments.database:
        print_tables(tables_of_postgres(arguments.database), issued)
        size = int(postgres(arguments.database, "SELECT pg_database_size(current_database())")[0][0])
    else:
        print_tables(tables_of_sqlite(service.database), issued)
        size = service.database.stat().st_size
    print(f"the database: {size / 1e6:,.1f} MB, {size / issued:,.0f} bytes a customer")


if __name__ == "__main__":
    main()
