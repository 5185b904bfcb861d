#!/usr/bin/env python3
"""Grows a database: customers who may ask, and offers issued to others in the past two years.

    populate.py DATABASE --askers N --issued N [--stride 64]

The database holds one customer that was loaded and never asked, and one that was issued an offer (see measure.py); their
rows are the templates. A clone differs in its ids, its identifiers and, where it was issued an offer, its times. Columns
are read from the schema, so that a new one is cloned as it is. The recorded inputs of a decision are cut to a few bytes,
so that ten million fit on a disk. The audit chain of a grown database does not hold: only its size is real.
"""

import argparse
import sqlite3
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Scripts"))
import history_facts

CHUNK = 100_000
DAY = 86_400_000

HISTORY = ["history_transaction", "history_renewal_info", "history_app_transaction", "coverage"]


def uuid(salt: int) -> str:
    """A version-4 UUID that grows with the clone: sorted keys fill an index from left to right."""
    return (
        "printf('%08x-{0:04x}-4{0:03x}-8{0:03x}-%012x', "
        "CAST(n.i * 4294967295.0 / :last AS INTEGER), n.i)"
    ).format(salt)


class Template:
    """The rows of one customer, and how those of its clones differ."""

    def __init__(self, database: sqlite3.Connection, customer: int, first: dict, years_back: int | None):
        self.database = database
        self.customer = customer
        self.first = first
        self.years_back = years_back
        self.statements: list[str] = []
        # Of the rows of history, what they and their transactions are named in a clone.
        self.sequences: dict[int, int] = {}
        self.numbers: dict[str, int] = {}
        self.stencils: dict[tuple[bytes, bool], history_facts.Stencil] = {}
        self.database.create_function("renamed_row", 2, lambda facts, clone: self.renamed(facts, clone, None))
        self.database.create_function("renamed_run", 2, lambda facts, clone: self.renamed(facts, clone, self.sequences))
        self.rows_per_clone = 0
        self.slot_place = 0

    def renamed(self, facts: bytes, clone: int, sequences: dict[int, int] | None) -> bytes:
        """Facts as those of a clone."""
        first = self.first["identifiers"] + clone * self.first["ids"]
        start = self.first["sequence"] + clone * self.rows_per_clone
        key = (facts, sequences is not None)
        stencil = self.stencils.get(key)
        if not stencil:
            stencil = self.stencils[key] = history_facts.Stencil(*key, differs=self.numbers.__contains__)
        numbers = self.numbers
        return stencil.copy(
            lambda text: str(first + numbers[text]), sequences and (lambda sequence: start + sequences[sequence]))

    def expression(self, table: str, column: str, row: int) -> str:
        number = f"(:identifiers + n.i * :ids + {row})"
        if column == "sequence":
            self.rows_per_clone += 1
            if table == "issued_offer":
                self.slot_place = self.rows_per_clone - 1
            return f":sequence + n.i * :stride + {self.rows_per_clone - 1}"
        if (table, column) == ("audit_event", "issued_offer"):
            return f":sequence + n.i * :stride + {self.slot_place}"
        if (table, column) == ("customer", "id") or column == "customer_id":
            return ":customers + n.i"
        if column in ("v1_nonce", "jws_nonce"):
            return f"CASE WHEN t.{column} IS NOT NULL THEN {uuid(900 + (column == 'v1_nonce'))} END"
        if (table, column) == ("issued_offer", "id"):
            return uuid(1)
        if column == "decision_id":
            return uuid(2)
        if column == "facts":
            return f"renamed_{'run' if table == 'history_facts' else 'row'}(t.facts, n.i)"
        if column == "original_transaction_id":
            return "CAST(:identifiers + n.i * :ids AS TEXT)"
        if column == "transaction_id" and table == "history_transaction":
            return f"CAST({number} AS TEXT)"
        if column == "transaction_id":
            return "CAST(:identifiers + n.i * :ids AS TEXT)"
        if column == "app_transaction_id" or column == "rollout_key":
            return "CAST(:identifiers + n.i * :ids + :ids - 1 AS TEXT)"
        if table in ("customer_identifier", "history_facts") and column == "value":
            return (
                "CAST(:identifiers + n.i * :ids + CASE t.kind WHEN 'appTransactionId' THEN :ids - 1 ELSE 0 END AS TEXT)"
            )
        if column == "record":
            return "X'01'"
        if self.years_back is not None:
            past = "(:now - :span + CAST(n.i * 1.0 * :span / :last AS INTEGER))"
            if column in ("issued_at", "first_stored_at", "at"):
                return past
            if column == "expires_at":
                return f"{past} + {DAY}"
            if column == "counts_until":
                return f"{past} + {DAY + 3_600_000}"
            if column == "settled_at":
                ends = f"({past} + {DAY + 3_600_000})"
                return f"CASE WHEN {ends} <= :now THEN {ends} END"
            if column == "places":
                return f"CASE WHEN {past} + {DAY + 3_600_000} <= :now THEN 0 ELSE 1 END"
        return f"t.{column}"

    def clone(self, table: str, condition: str, key: str = "rowid") -> None:
        columns = [row[1] for row in self.database.execute(f"PRAGMA table_info({table})")]
        condition = condition.replace(":customer", str(self.customer))
        rows = self.database.execute(f"SELECT {key} FROM {table} WHERE {condition} ORDER BY {key}").fetchall()
        for index, (row,) in enumerate(rows):
            self.note(table, row, index)
            values = ", ".join(self.expression(table, column, index) for column in columns)
            self.statements.append(
                f"""
                WITH RECURSIVE n(i) AS (SELECT :from UNION ALL SELECT i + 1 FROM n WHERE i < :to)
                INSERT INTO {table} ({", ".join(columns)})
                SELECT {values} FROM (SELECT * FROM {table} WHERE ({condition}) AND {key} = {row!r}) t CROSS JOIN n
                """
            )

    def note(self, table: str, row: int, index: int) -> None:
        """Remembers what a row of history is named by, and by what its clones are: see `expression`."""
        if table not in HISTORY[:3]:
            return
        self.sequences[row] = self.rows_per_clone
        if table == "history_transaction":
            transaction, original = self.database.execute(
                f"SELECT transaction_id, original_transaction_id FROM {table} WHERE sequence = {row}").fetchone()
            self.numbers.setdefault(transaction, index)
            self.numbers[original] = 0
        elif table == "history_app_transaction":
            account, = self.database.execute(
                f"SELECT app_transaction_id FROM {table} WHERE sequence = {row}").fetchone()
            self.numbers[account] = self.first["ids"] - 1

    def grow(self, count: int, words: str) -> None:
        if count == 0:
            return
        started = time.monotonic()
        values = dict(self.first, last=max(count - 1, 1), stride=self.rows_per_clone)
        for start in range(0, count, CHUNK):
            values.update({"from": start, "to": min(start + CHUNK, count) - 1})
            for statement in self.statements:
                self.database.execute(statement, values)
            self.database.commit()
            print(f"{values['to'] + 1:>12,} of {count:,} {words}, {time.monotonic() - started:.0f} s", file=sys.stderr)
        self.database.execute(
            "UPDATE store_state SET sequence = ? WHERE id = 1", (self.first["sequence"] + count * self.rows_per_clone,)
        )
        self.database.commit()


def next_values(database: sqlite3.Connection) -> dict:
    sequence, now = database.execute("SELECT sequence + 1, last_instant FROM store_state").fetchone()
    customer = database.execute("SELECT max(id) + 1 FROM customer").fetchone()[0]
    return {"sequence": sequence, "customers": customer, "now": now, "span": 730 * DAY}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("--askers", type=int, default=0)
    parser.add_argument("--issued", type=int, default=0)
    parser.add_argument("--stride", type=int, default=64, help="how many ids each customer has")
    arguments = parser.parse_args()
    database = sqlite3.connect(arguments.database)
    for pragma in ("synchronous = OFF", "cache_size = -2000000", "wal_autocheckpoint = 20000"):
        database.execute(f"PRAGMA {pragma}")
    owner = database.execute("SELECT customer_id FROM issued_offer LIMIT 1").fetchone()[0]
    asker = database.execute("SELECT min(id) FROM customer WHERE id <> ?", (owner,)).fetchone()[0]

    askers = Template(database, asker, dict(next_values(database), identifiers=100_000_000_000, ids=arguments.stride), None)
    askers.clone("customer", "id = :customer")
    askers.clone("customer_identifier", "customer_id = :customer", key="value")
    ids = "(SELECT value FROM customer_identifier WHERE customer_id = :customer)"
    askers.clone("history_transaction", f"original_transaction_id IN {ids}")
    askers.clone("history_renewal_info", f"original_transaction_id IN {ids}")
    askers.clone("history_app_transaction", f"app_transaction_id IN {ids}")
    askers.clone("coverage", "customer_id = :customer", key="sequence")
    askers.clone("history_facts", f"value IN {ids}", key="value")
    askers.grow(arguments.askers, "customers who may ask")

    issued = Template(database, owner, dict(next_values(database), identifiers=5_000_000_000_000, ids=64), 2)
    issued.clone("customer", "id = :customer")
    issued.clone("customer_identifier", "customer_id = :customer AND kind = 'originalTransactionId'", key="value")
    issued.clone("issued_offer", "customer_id = :customer")
    issued.clone("audit_event", "issued_offer = (SELECT sequence FROM issued_offer WHERE customer_id = :customer)")
    issued.grow(arguments.issued, "offers issued to others")
    database.execute(
        """
        UPDATE offer_counter SET amount = (SELECT SUM(CASE unit WHEN 'places' THEN places ELSE cost * places END)
        FROM issued_offer WHERE issued_offer.offer_id = offer_counter.offer_id AND places > 0)
        """
    )
    database.commit()

    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


if __name__ == "__main__":
    main()
