"""The floors: one exchange, one signature, one verification, one read, one decision, one durable commit, each alone."""

import json
import re
import subprocess
import sys
import sqlite3
from pathlib import Path

import wrk
from service import Service
from settings import Settings

ORDER = '"offerId":"comeback","formats":["v2"]'
WAITERS = 32

# What a decision about one customer has to read, one statement a line; ?1 is the subscription, ?2 the customer, ?3 the account.
READS = """
SELECT customer_id FROM customer_identifier WHERE scope_id = 1 AND kind = 'originalTransactionId' AND value = ?1
SELECT rollout_key, first_stored_at, merged_into, version FROM customer WHERE id = ?2
SELECT facts FROM history_facts WHERE scope_id = 1 AND kind = 'originalTransactionId' AND value = ?1
SELECT facts FROM history_facts WHERE scope_id = 1 AND kind = 'appTransactionId' AND value = ?3
SELECT is_complete, as_of, provenance FROM coverage WHERE customer_id = ?2 ORDER BY sequence DESC LIMIT 1
SELECT id, offer_id, issued_at, counts_until, places FROM issued_offer WHERE customer_id = ?2
"""


def measure(settings: Settings, base: Service) -> dict:
    """Rates a second; `two` is what both cores give together, where the work can be shared."""
    seconds = 1 if settings.quick else 3
    settings.say("floors: OpenSSL")
    figures = {"sign": {}, "verify": {}, "read": {}, "decide": {}}
    for name, processes in (("one", 1), ("two", 2)):
        figures["sign"][name], figures["verify"][name] = openssl(seconds, processes)
    settings.say("floors: one decision of one offer for a customer with twelve transactions")
    for name, processes in (("one", 1), ("two", 2)):
        figures["decide"][name] = decide(settings, processes)
    settings.say("floors: SQLite alone, reading a customer and committing an issue")
    statements = settings.folder / "reads.sql"
    statements.write_text(READS.lstrip())
    for name, threads in (("one", 1), ("two", 2)):
        figures["read"][name] = store_floor(
            settings, "read", base.database, statements, threads, seconds, settings.customers)["perSecond"]
    figures["commit"] = commits(settings, base, "issue", issue_rows(base.database), seconds)
    figures["ingest"] = commits(settings, base, "ingest", ingest_rows(base.database), seconds)
    figures["echo"] = echo(settings)
    return figures


def openssl(seconds: int, processes: int) -> tuple[float, float]:
    """Signatures and verifications a second on P-256."""
    several = ["-multi", str(processes)] if processes > 1 else []
    output = subprocess.run(
        ["openssl", "speed", "-elapsed", "-seconds", str(seconds), *several, "ecdsap256"], check=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True).stdout
    found = re.search(r"ecdsa \(nistp256\)\s+\S+\s+\S+\s+([\d.]+)\s+([\d.]+)", output)
    if not found:
        sys.exit(f"error: `openssl speed` printed no rates: {output}")
    return float(found.group(1)), float(found.group(2))


def decide(settings: Settings, processes: int) -> float:
    """Decisions a second of so many processes at once."""
    command = [settings.program("DecideBenchmark"), "5000" if settings.quick else "20000", "one"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
    lines = [process.communicate()[0] for process in running]
    return sum(1e6 / float(re.search(r"median ([\d.]+)", line).group(1)) for line in lines)


def store_floor(settings: Settings, *arguments: object) -> dict:
    return json.loads(subprocess.run(
        [settings.program("StoreFloor"), *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True).stdout)


def commits(settings: Settings, base: Service, name: str, rows: tuple[str, str], seconds: int) -> dict:
    """Commits a second from 32 waiters, of rows as the service writes them, in tables like the service's."""
    schema, statements = rows
    database = settings.folder / f"{name}-floor.sqlite"
    for ending in ("", "-wal", "-shm"):
        Path(f"{database}{ending}").unlink(missing_ok=True)
    made = sqlite3.connect(database)
    made.executescript(schema)
    made.close()
    file = settings.folder / f"{name}.sql"
    file.write_text(statements)
    figures = store_floor(settings, "commit", database, file, WAITERS, seconds)
    for ending in ("", "-wal", "-shm"):
        Path(f"{database}{ending}").unlink(missing_ok=True)
    return figures


def rows_like(path: Path, tables: dict[str, str], keys: dict, updates: list[str]) -> tuple[str, str]:
    """The schema of some tables with their indexes, and an insert for a row of each like the one a condition finds.

    ?1 counts, ?2 and ?3 are UUIDs in the order of time, ?4 is a random one; `keys` says which columns take them. Updates are run once
    for a whole commit.
    """
    database = sqlite3.connect(path)
    schema, inserts = [], []
    for place, (table, condition) in enumerate(tables.items()):
        schema += [row[0] for row in database.execute(
            "SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND type IN ('table', 'index') AND sql IS NOT NULL", (table,))]
        if not condition:
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            for row in database.execute(f"SELECT {', '.join(f'quote({column})' for column in columns)} FROM {table}"):
                schema.append(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(row)})")
            continue
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        found = database.execute(
            f"SELECT {', '.join(f'quote({column})' for column in columns)} FROM {table} WHERE {condition} LIMIT 1").fetchone()
        if found is None:
            sys.exit(f"error: the prepared database has no row of `{table}` to copy")
        keyed = dict(keys, **{"sequence": f"?1 * 8 + {place}"})
        values = [
            keyed.get(f"{table}.{column}", keyed.get(column, value)) for column, value in zip(columns, found)]
        inserts.append(" ".join(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(values)})".split("\n")))
    database.close()
    return ";\n".join(schema) + ";\n", "\n".join(inserts + updates) + "\n"


def issue_rows(path: Path) -> tuple[str, str]:
    """What one issued offer leaves behind: itself with its signature and its record, the audit event, counters."""
    database = sqlite3.connect(path)
    issued, sequence = database.execute("SELECT id, sequence FROM issued_offer ORDER BY sequence LIMIT 1").fetchone()
    database.close()
    # Strangers in the file, as customers are: a factor that shares none with the modulus.
    customer = "?1 * 7919 % 1000003"
    return rows_like(
        path,
        {
            "issued_offer": f"id = '{issued}'", "audit_event": f"issued_offer = {sequence}", "store_state": "",
            "offer_counter": "",
        },
        {
            "issued_offer.id": "?2", "decision_id": "?3", "jws_nonce": "?4", "customer_id": customer,
            "audit_event.issued_offer": "?1 * 8",
        },
        [
            "UPDATE store_state SET sequence = ?1 * 8 + 4, last_instant = last_instant + 1 WHERE id = 1",
            "UPDATE offer_counter SET amount = amount + 1",
        ])


def ingest_rows(path: Path) -> tuple[str, str]:
    """What one signed transaction of a known customer leaves behind: its row, the facts, and the sequence."""
    return rows_like(
        path,
        {
            "history_transaction": "sequence = (SELECT min(sequence) FROM history_transaction)",
            "history_facts": "kind = 'originalTransactionId'", "store_state": "",
        },
        {
            "value": "CAST(1000000000000 + ?1 AS TEXT)",
            "transaction_id": "CAST(1000000000000 + ?1 AS TEXT)",
            "original_transaction_id": "CAST(100000000000 + ?1 * 7919 % 1000003 * 64 AS TEXT)",
        },
        ["UPDATE store_state SET sequence = ?1 * 8 + 4, last_instant = last_instant + 1 WHERE id = 1"])


def echo(settings: Settings) -> dict:
    """Requests a second of a bare server that answers with what it is sent, by the number of connections."""
    process = subprocess.Popen([settings.program("EchoFloor")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    url = process.stdout.readline().removeprefix("listening on ").strip()
    try:
        figures = {}
        for connections in settings.connections:
            settings.say(f"floors: bare echo, {connections} connections")
            runs = [
                wrk.require_answers(
                    wrk.load(
                        url, "issue.lua", connections, settings.seconds, BENCH_TOKEN="none", BENCH_PATH="/echo",
                        BENCH_EXTRA=ORDER, BENCH_FIRST=0, BENCH_COUNT=settings.customers),
                    "the echo")
                for _ in range(settings.runs + 1)
            ]
            figures[connections] = wrk.medians(runs[1:])
        return figures
    finally:
        process.terminate()
        process.wait(timeout=60)
