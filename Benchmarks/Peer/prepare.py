#!/usr/bin/env python3
"""The peer's database: a client key and so many customers with twelve transactions each, as populate.py makes them for us.

    prepare.py DATABASE CUSTOMERS      prints the client's token
"""

import hashlib
import secrets
import sqlite3
import sys
import time

DAY = 86_400_000
SCHEMA = """
CREATE TABLE api_key (id TEXT PRIMARY KEY, secret_digest BLOB NOT NULL, role TEXT NOT NULL, revoked_at INTEGER) STRICT;
CREATE TABLE customer (
    id INTEGER PRIMARY KEY, original_transaction_id TEXT NOT NULL UNIQUE, app_transaction_id TEXT, first_seen INTEGER NOT NULL
) STRICT;
CREATE TABLE transactions (
    transaction_id TEXT PRIMARY KEY, original_transaction_id TEXT NOT NULL, product_id TEXT NOT NULL,
    purchase_date INTEGER NOT NULL, expires_date INTEGER NOT NULL, revocation_date INTEGER, offer_type INTEGER,
    offer_identifier TEXT, price INTEGER, currency TEXT
) STRICT;
CREATE INDEX transactions_subscription ON transactions (original_transaction_id, purchase_date);
CREATE TABLE renewal_info (
    original_transaction_id TEXT PRIMARY KEY, auto_renew_status INTEGER NOT NULL, is_in_billing_retry INTEGER NOT NULL,
    grace_expires INTEGER, signed_date INTEGER NOT NULL
) STRICT;
CREATE TABLE issued_offer (
    id TEXT PRIMARY KEY, customer_id INTEGER NOT NULL, offer_id TEXT NOT NULL, issued_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, counts_until INTEGER NOT NULL, UNIQUE (customer_id, offer_id)
) STRICT;
CREATE TABLE signature (
    nonce TEXT PRIMARY KEY, issued_offer_id TEXT NOT NULL, format TEXT NOT NULL, signed_at INTEGER NOT NULL, artefact TEXT NOT NULL
) STRICT;
CREATE INDEX signature_offer ON signature (issued_offer_id);
CREATE TABLE counter (offer_id TEXT PRIMARY KEY, used INTEGER NOT NULL, spent INTEGER NOT NULL) STRICT;
INSERT INTO counter VALUES ('comeback', 0, 0);
"""


def main() -> None:
    database = sqlite3.connect(sys.argv[1])
    database.execute("PRAGMA journal_mode = WAL")
    database.executescript(SCHEMA)
    secret = secrets.token_hex(32)
    database.execute("INSERT INTO api_key VALUES ('bench', ?, 'client', NULL)", (hashlib.sha256(secret.encode()).digest(),))
    now = time.time_ns() // 1_000_000
    ended = now - 60 * DAY
    for i in range(int(sys.argv[2])):
        original = 100_000_000_000 + i * 64
        database.execute("INSERT INTO customer VALUES (?, ?, ?, ?)", (i, str(original), str(original + 63), now - 450 * DAY))
        database.executemany(
            "INSERT INTO transactions VALUES (?, ?, 'com.example.pro.monthly', ?, ?, NULL, NULL, NULL, 9990, 'USD')",
            [
                (str(original + n), str(original), ended - (12 - n) * 31 * DAY, ended - (11 - n) * 31 * DAY)
                for n in range(12)
            ],
        )
        database.execute("INSERT INTO renewal_info VALUES (?, 0, 0, NULL, ?)", (str(original), now))
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    print(f"peer_bench_{secret}")


if __name__ == "__main__":
    main()
