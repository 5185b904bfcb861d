"""The same job on FastAPI and Apple's Python library, as a good engineer would write it for two workers.

POST /v1/issued-offers: API key, one indexed read of the customer's history, the rules of ../Service/catalog.yaml, the
limits judged under the write lock, V1 and V2 signatures, one durable commit (WAL, synchronous=FULL).
"""

import hashlib
import hmac
import os
import sqlite3
import time
import uuid
from datetime import datetime, timezone

from appstoreserverlibrary.jws_signature_creator import PromotionalOfferV2SignatureCreator
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from fastapi import Depends, FastAPI, Header, HTTPException
from pydantic import BaseModel, ConfigDict

BUNDLE, KEY, ISSUER = "com.example.pro", "BENCH00001", "57246542-96fe-1a63-e053-0824d011072a"
OFFER = {
    "id": "comeback", "offerIdentifier": "comeback50", "productId": "com.example.pro.monthly",
    "group": "21500001", "perCustomer": 1, "total": 50_000_000, "budget": 900_000_000_000, "cost": 15_000,
}
DAY = 86_400_000

with open(os.environ["PEER_KEY"], "rb") as file:
    PRIVATE_KEY = file.read()
V1 = PromotionalOfferSignatureCreator(PRIVATE_KEY, KEY, BUNDLE)
V2 = PromotionalOfferV2SignatureCreator(PRIVATE_KEY, KEY, ISSUER, BUNDLE)

DATABASE = sqlite3.connect(os.environ["PEER_DATABASE"], isolation_level=None, check_same_thread=False, timeout=5)
for pragma in ("journal_mode = WAL", "synchronous = FULL", "busy_timeout = 5000"):
    DATABASE.execute(f"PRAGMA {pragma}")


class Customer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    originalTransactionId: str


class Order(BaseModel):
    model_config = ConfigDict(extra="forbid")
    offerId: str
    customer: Customer
    formats: list[str] = ["v2"]
    signals: dict[str, float] = {}


# Not in a thread: a statement in progress there would keep a snapshot that `BEGIN IMMEDIATE` cannot write after.
async def caller(authorization: str = Header()) -> int:
    _, _, token = authorization.partition(" ")
    parts = token.split("_")
    if len(parts) != 3:
        raise HTTPException(401, "unauthenticated")
    row = DATABASE.execute(
        "SELECT secret_digest, role FROM api_key WHERE id = ? AND revoked_at IS NULL", (parts[1],)
    ).fetchone()
    if row is None or not hmac.compare_digest(row[0], hashlib.sha256(parts[2].encode()).digest()):
        raise HTTPException(401, "unauthenticated")
    if row[1] != "client":
        raise HTTPException(403, "forbidden")
    return 1


def months_between(start: int, end: int) -> int:
    first = datetime.fromtimestamp(start / 1000, timezone.utc)
    last = datetime.fromtimestamp(end / 1000, timezone.utc)
    months = (last.year - first.year) * 12 + last.month - first.month
    return months - 1 if last.day < first.day else months


def refusals(customer: tuple, order: Order, now: int) -> list[dict]:
    """Every rule of the offer that does not hold, from the customer's transactions and renewal info."""
    original = order.customer.originalTransactionId
    transactions = DATABASE.execute(
        """
        SELECT purchase_date, expires_date, revocation_date, offer_type, price FROM transactions
        WHERE original_transaction_id = ? ORDER BY purchase_date
        """,
        (original,),
    ).fetchall()
    renewal = DATABASE.execute(
        "SELECT auto_renew_status, is_in_billing_retry, grace_expires, signed_date FROM renewal_info "
        "WHERE original_transaction_id = ?",
        (original,),
    ).fetchone()
    findings = []
    if not transactions:
        return [{"rule": "platform.promotional.everSubscribed", "reason": "neverSubscribed"}]
    newest = max(transactions, key=lambda row: row[1])
    expired = newest[1] <= now and renewal is not None and renewal[0] == 0 and not renewal[1] and not (
        renewal[2] and renewal[2] > now
    )
    if not expired or newest[2] is not None:
        findings.append({"rule": "rule.eligibility", "path": "all[0]", "reason": "conditionNotMet"})
    if not 30 <= (now - newest[1]) // DAY <= 180:
        findings.append({"rule": "rule.eligibility", "path": "all[1]", "reason": "conditionNotMet"})
    paid = sum(months_between(row[0], row[1]) for row in transactions if row[4] and row[2] is None)
    if paid < 3:
        findings.append({"rule": "rule.eligibility", "path": "all[2]", "reason": "conditionNotMet"})
    if order.signals.get("interactions", 0) < 50 and (now - customer[1]) // DAY < 21:
        findings.append({"rule": "rule.eligibility", "path": "all[3]", "reason": "conditionNotMet"})
    return findings


app = FastAPI()


@app.post("/v1/issued-offers", status_code=201)
async def issue(order: Order, _: int = Depends(caller)):
    if order.offerId != OFFER["id"]:
        raise HTTPException(404, "unknown-offer")
    now = time.time_ns() // 1_000_000
    customer = DATABASE.execute(
        "SELECT id, first_seen, app_transaction_id FROM customer WHERE original_transaction_id = ?",
        (order.customer.originalTransactionId,),
    ).fetchone()
    if customer is None:
        raise HTTPException(422, "undetermined")
    findings = refusals(customer, order, now)
    if findings:
        raise HTTPException(403, {"code": "not-eligible", "findings": findings})
    identifier, nonce = str(uuid.uuid4()), uuid.uuid4()
    signatures = {}
    if "v1" in order.formats:
        signatures["v1"] = {
            "keyId": KEY, "nonce": str(nonce), "timestamp": now, "appAccountToken": "",
            "signature": V1.create_signature(OFFER["productId"], OFFER["offerIdentifier"], "", nonce, now),
        }
    if "v2" in order.formats:
        signatures["v2"] = {
            "jws": V2.create_signature(
                OFFER["productId"], OFFER["offerIdentifier"], order.customer.originalTransactionId
            )
        }
    expires = now + DAY
    DATABASE.execute("BEGIN IMMEDIATE")
    try:
        used = DATABASE.execute(
            "SELECT count(*) FROM issued_offer WHERE customer_id = ? AND offer_id = ? AND counts_until > ?",
            (customer[0], OFFER["id"], now),
        ).fetchone()[0]
        count, spent = DATABASE.execute(
            "SELECT used, spent FROM counter WHERE offer_id = ?", (OFFER["id"],)
        ).fetchone()
        if used >= OFFER["perCustomer"] or count >= OFFER["total"] or spent + OFFER["cost"] > OFFER["budget"]:
            DATABASE.execute("ROLLBACK")
            raise HTTPException(403, {"code": "not-eligible", "findings": [{"rule": "limit", "reason": "limitReached"}]})
        DATABASE.execute(
            "INSERT INTO issued_offer VALUES (?, ?, ?, ?, ?, ?)",
            (identifier, customer[0], OFFER["id"], now, expires, expires + 3_600_000),
        )
        for form, signature in signatures.items():
            DATABASE.execute(
                "INSERT INTO signature VALUES (?, ?, ?, ?, ?)",
                (str(nonce) if form == "v1" else str(uuid.uuid4()), identifier, form, now, str(signature)),
            )
        DATABASE.execute(
            "UPDATE counter SET used = used + 1, spent = spent + ? WHERE offer_id = ?", (OFFER["cost"], OFFER["id"])
        )
        DATABASE.execute("COMMIT")
    except HTTPException:
        raise
    except BaseException:
        if DATABASE.in_transaction:
            DATABASE.execute("ROLLBACK")
        raise
    return {
        "issuedOfferId": identifier, "offerId": OFFER["id"], "offerType": "promotional", "delivery": "signature",
        "offerIdentifier": OFFER["offerIdentifier"], "productId": OFFER["productId"], "bundleId": BUNDLE, "keyId": KEY,
        "state": "open", "issuedAt": now, "expiresAt": expires, "signatures": signatures,
    }
