#!/usr/bin/env python3
"""Copies the customers of a database many times, each copy with its own identifiers, to measure reports.

usage: multiply_customers.py DATABASE TIMES

Stop the server first. It copies everything a report reads: customers, identifiers, history, issued offers and
refusals with their records. Of signatures it copies only the nonces, so a copy cannot return them again: never run
it on a database that is in use.
"""

import random
import re
import sqlite3
import sys

import history_facts

TABLES = [
    "customer", "customer_identifier", "history_transaction", "history_renewal_info", "history_app_transaction",
    "history_facts", "issued_offer", "signing", "refusal",
]
IDENTIFIERS = {"value", "transaction_id", "original_transaction_id", "app_transaction_id", "rollout_key"}


class Copier:
    def __init__(self, database):
        self.database = database
        self.random = random.Random(1)
        self.sequence, = database.execute("SELECT sequence FROM store_state").fetchone()
        self.rows = {}
        for table in TABLES:
            cursor = database.execute(f"SELECT * FROM {table}")
            self.rows[table] = ([column[0] for column in cursor.description], cursor.fetchall())
        columns, rows = self.rows["customer_identifier"]
        self.identifiers = {row[columns.index("value")] for row in rows}
        columns, rows = self.rows["history_transaction"]
        self.identifiers |= {row[columns.index("transaction_id")] for row in rows}
        self.customers, = database.execute("SELECT MAX(id) FROM customer").fetchone()

    def uuid(self):
        digits = f"{self.random.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"

    def copy(self, number):
        """One copy of all customers."""
        shift = number * self.customers
        slots, self.sequences = {}, {}
        for table in TABLES:
            columns, rows = self.rows[table]
            statement = f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})"
            self.database.executemany(
                statement, [self.copied(table, dict(zip(columns, row)), number, shift, slots) for row in rows])

    def copied(self, table, row, number, shift, slots):
        for column, value in row.items():
            if value is None:
                continue
            if column == "sequence":
                self.sequence += 1
                if table == "issued_offer":
                    slots[value] = self.sequence
                row[column] = self.sequences[value] = self.sequence
            elif column == "facts":
                row[column] = history_facts.renamed(
                    value, lambda text: f"{text}x{number}" if text in self.identifiers else text,
                    self.sequences.get if table == "history_facts" else None)
            elif column in ("customer_id", "merged_into") or (table == "customer" and column == "id"):
                row[column] = value + shift
            elif table in ("issued_offer", "refusal") and column == "id" or column == "decision_id":
                row[column] = self.uuid()
            elif column == "issued_offer":
                row[column] = slots[value]
            elif column in ("v1_signature", "jws"):
                row[column] = "hmac-sha256:"
            elif column in ("app_account_token", "app_customer_id"):
                row[column] = None
            elif column in IDENTIFIERS:
                row[column] = f"{value}x{number}"
        return list(row.values())


def main():
    if len(sys.argv) != 3 or not re.fullmatch("[1-9][0-9]{0,6}", sys.argv[2]):
        sys.exit(__doc__)
    database = sqlite3.connect(sys.argv[1])
    database.execute("PRAGMA foreign_keys = ON")
    copier = Copier(database)
    with database:
        for number in range(1, int(sys.argv[2]) + 1):
            copier.copy(number)
        database.execute("UPDATE store_state SET sequence = ?", (copier.sequence,))
    count, = database.execute("SELECT COUNT(*) FROM decision").fetchone()
    print(f"{count} decisions")


main()
