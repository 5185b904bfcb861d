"""A verifier of the ledger written from docs/ledger.md alone: verify_ledger.py DATABASE [DIGEST_KEY PUBLIC_KEY [WITNESS]]

Proves the chain, the checkpoints' signatures, the digests of every row and the totals, and that the witness has no other
checkpoints, and prints how many of each.
"""

import hashlib
import hmac
import json
import sqlite3
import sys

TABLES = {
    "issued_offer": (
        "sequence",
        "id scope_id catalog_revision offer_id offer_identifier offer_type delivery subscription_group_identifier tags issued_at cost_currency grant_id"
        " decision_id key_id signed_product_id v1_nonce jws_nonce allow_introductory_offer",
        "app_account_token app_customer_id transaction_id v1_signature jws record",
    ),
    "offer_grant": ("sequence", "id scope_id offer_id actor granted_at expires_at", "reason"),
    "signing": (
        "sequence",
        "scope_id issued_offer signing decided_at catalog_revision decision_id key_id signed_product_id v1_nonce jws_nonce"
        " allow_introductory_offer",
        "app_account_token transaction_id v1_signature jws record",
    ),
    "refusal": (
        "sequence",
        "id scope_id customer_id offer_id decided_at catalog_revision outcome key_id signed_product_id jws_nonce",
        "app_account_token transaction_id jws record",
    ),
    "customer_merge": ("sequence", "scope_id survivor_id merged_id merged_at", "proof"),
    "erasure": ("sequence", "scope_id customer_id erased_at actor", "reason"),
    "audit_checkpoint": ("number", "event_sequence head signed_at key_fingerprint signature", ""),
    "pause": ("sequence", "scope_id covers offer_id actor paused_at ends_at", "reason"),
    "catalog_revision": (
        "scope_id || '/' || revision",
        "scope_id revision document format digest actor created_at",
        "message",
    ),
    "api_key": ("id", "scope_id role secret_digest created_at expires_at networks", "label"),
}
EVENT = "sequence kind actor at request_id scope_id issued_offer digest_key before_change after_change ledger_rows previous_hash"


def encoded(*values):
    parts = []
    for value in values:
        if value is None:
            parts.append(b"\x00")
        elif isinstance(value, int):
            parts.append(b"\x01" + value.to_bytes(8, "big", signed=True))
        elif isinstance(value, str):
            text = value.encode()
            parts.append(b"\x02" + len(text).to_bytes(8, "big") + text)
        else:
            parts.append(b"\x03" + len(value).to_bytes(8, "big") + value)
    return b"".join(parts)


def require(condition, message):
    if not condition:
        sys.exit(f"broken: {message}")


def main(path, digest_key=None, public_key=None, witness=None):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    keys = {"database": database.execute("SELECT digest_salt FROM audit_state").fetchone()[0]}
    if digest_key:
        secret = bytes.fromhex(open(digest_key).read().strip())
        name = hmac.digest(secret, b"offerd-digest-key-1", "sha256")[:8].hex()
        keys[name] = secret
    hashes, previous, rows = {}, bytes(32), 0
    columns = ", ".join(EVENT.split())
    for *values, stored in database.execute(f"SELECT {columns}, hash FROM audit_event ORDER BY sequence"):
        event = dict(zip(EVENT.split(), values))
        sequence = event["sequence"]
        require(sequence == len(hashes) + 1, f"event {len(hashes) + 1} is missing")
        require(event["previous_hash"] == previous, f"event {sequence} does not follow")
        previous = hashlib.sha256(encoded("offerd-event-1", *values)).digest()
        require(previous == stored, f"event {sequence} has another hash")
        hashes[sequence] = previous
        for table, key, digest in json.loads(event["ledger_rows"]):
            found = row_digest(database, table, key, keys[event["digest_key"]])
            require(found is not None and found.hex() == digest, f"{table} {key}")
            rows += 1
    checkpoints = check_signatures(database, hashes, public_key)
    check_totals(database)
    if witness:
        check_witness(database, witness, public_key)
    print(json.dumps({"events": len(hashes), "head": previous.hex(), "rows": rows, "checkpoints": checkpoints}))


def row_digest(database, table, key, secret):
    expression, fixed, erasable = TABLES[table]
    names = fixed.split() + erasable.split()
    row = database.execute(f"SELECT {', '.join(names)} FROM {table} WHERE {expression} = ?", (key,)).fetchone()
    if row is None:
        return None
    message = encoded("offerd-row-1", table, key)
    for name, value in zip(names, row):
        text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
        if name in erasable.split() and value is not None and text.startswith("hmac-sha256:"):
            value = bytes.fromhex(text.removeprefix("hmac-sha256:"))
        elif name in erasable.split() and value is not None:
            value = hmac.digest(secret, encoded("offerd-value-1", table, key, name, value), "sha256")
        message += encoded(name, value)
    return hashlib.sha256(message).digest()


def check_signatures(database, hashes, public_key):
    from cryptography.hazmat.primitives import hashes as algorithms
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = serialization.load_pem_public_key(open(public_key, "rb").read()) if public_key else None
    count = 0
    for number, event, head, at, signature in database.execute(
        "SELECT number, event_sequence, head, signed_at, signature FROM audit_checkpoint ORDER BY number"
    ):
        count += 1
        require(number == count, f"checkpoint {count} is missing")
        require(hashes.get(event) == head, f"checkpoint {number} signs another event {event}")
        if key:
            message = encoded("offerd-checkpoint-1", number, event, head, at)
            key.verify(signature, message, ec.ECDSA(algorithms.SHA256()))
    return count


def check_totals(database):
    totals, granted = {}, set()
    for scope, offer, places, currency, cost, grant in database.execute(
        "SELECT scope_id, offer_id, places, cost_currency, cost, grant_id FROM issued_offer"
    ):
        counted = [("places", places)] + ([(currency, places * cost)] if cost else [])
        for unit, amount in counted:
            totals[scope, offer, unit] = totals.get((scope, offer, unit), 0) + amount
            if grant is not None:
                granted.add((scope, offer, unit))
    stored = {key: 0 for key in granted}
    for scope, offer, unit, amount in database.execute("SELECT scope_id, offer_id, unit, amount FROM offer_counter"):
        stored[scope, offer, unit] = amount
    require(stored == totals, f"offer_counter {set(stored.items()) ^ set(totals.items())}")


def check_witness(database, witness, public_key):
    from cryptography.hazmat.primitives import hashes as algorithms
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = serialization.load_pem_public_key(open(public_key, "rb").read())
    checkpoints = {}
    for line in open(witness, "rb").read().split(b"\n")[:-1]:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if "reason" in record:
            message = encoded("offerd-restored-1", *(record[name] for name in ("number", "replaced", "signedAt", "reason")))
            key.verify(bytes.fromhex(record["signature"]), message, ec.ECDSA(algorithms.SHA256()))
            checkpoints = {number: rest for number, rest in checkpoints.items() if number <= record["number"]}
        else:
            values = record["eventSequence"], record["head"], record["signedAt"], record["keyFingerprint"], record["signature"]
            checkpoints.setdefault(record["number"], values)
    stored = {
        number: rest
        for number, *rest in database.execute(
            "SELECT number, event_sequence, lower(hex(head)), signed_at, key_fingerprint, lower(hex(signature)) FROM audit_checkpoint"
        )
    }
    for number, values in checkpoints.items():
        require(stored.get(number) == list(values), f"witness {number}")


main(*sys.argv[1:])
