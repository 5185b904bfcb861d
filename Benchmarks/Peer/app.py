"""The same job on FastAPI and Apple's Python library, as a good engineer would write it for two workers.

POST /v1/issued-offers: API key, one indexed read of the customer's history, the rules of ../Service/catalog.yaml, the
limits judged under the write lock, V1 and V2 signatures, a durable commit (WAL, synchronous=FULL) that requests of a worker
share. Answers are written by orjson; sqlite3 keeps its statements prepared.
"""

import asyncio
import hashlib
import hmac
import os
import sqlite3
import time
import uuid
from datetime import datetime, timezone

import orjson
from appstoreserverlibrary.jws_signature_creator import PromotionalOfferV2SignatureCreator
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from fastapi import Depends, FastAPI, Header, HTTPException, Response
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

DATABASE = sqlite3.connect(os.environ["PEER_DATABASE"], isolation_level=None, check_same_thread=False, timeout=0)
for pragma in ("journal_mode = WAL", "synchronous = FULL"):
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
    if len(parts) != 5:
        raise HTTPException(401, "unauthenticated")
    row = DATABASE.execute(
        "SELECT secret_digest, role FROM api_key WHERE id = ? AND revoked_at IS NULL", (parts[3],)
    ).fetchone()
    if row is None or not hmac.compare_digest(row[0], hashlib.sha256(parts[4].encode()).digest()):
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


class Records:
    """Records what is to be released: requests that wait together share one durable commit."""

    def __init__(self):
        self.waiting: list[tuple[tuple, asyncio.Future]] = []
        self.is_writing = False

    async def keep(self, record: tuple) -> bool:
        """Whether it was recorded; not if the limits allow no more."""
        future = asyncio.get_running_loop().create_future()
        self.waiting.append((record, future))
        if not self.is_writing:
            self.is_writing = True
            asyncio.create_task(self.write())
        return await future

    async def write(self) -> None:
        while self.waiting:
            failure = await self.begin()
            batch, self.waiting = self.waiting, []
            try:
                if failure:
                    raise failure
                answers = [self.record(*record) for record, _ in batch]
                DATABASE.execute("COMMIT")
            except BaseException as error:
                if DATABASE.in_transaction:
                    DATABASE.execute("ROLLBACK")
                for _, future in batch:
                    future.set_exception(error)
                continue
            for (_, future), answer in zip(batch, answers):
                future.set_result(answer)
        self.is_writing = False

    @staticmethod
    async def begin() -> Exception | None:
        """Takes the write lock; while the other worker has it, requests of this one go on. Returns why it could not."""
        until = time.monotonic() + 5
        while True:
            try:
                DATABASE.execute("BEGIN IMMEDIATE")
                return None
            except sqlite3.OperationalError as error:
                if time.monotonic() > until:
                    return error
            await asyncio.sleep(0.0002)

    @staticmethod
    def record(identifier: str, customer: int, now: int, expires: int, signatures: list[tuple]) -> bool:
        used = DATABASE.execute(
            "SELECT count(*) FROM issued_offer WHERE customer_id = ? AND offer_id = ? AND counts_until > ?",
            (customer, OFFER["id"], now),
        ).fetchone()[0]
        count, spent = DATABASE.execute("SELECT used, spent FROM counter WHERE offer_id = ?", (OFFER["id"],)).fetchone()
        if used >= OFFER["perCustomer"] or count >= OFFER["total"] or spent + OFFER["cost"] > OFFER["budget"]:
            return False
        DATABASE.execute(
            "INSERT INTO issued_offer VALUES (?, ?, ?, ?, ?, ?)",
            (identifier, customer, OFFER["id"], now, expires, expires + 3_600_000),
        )
        for nonce, form, signature in signatures:
            DATABASE.execute("INSERT INTO signature VALUES (?, ?, ?, ?, ?)", (nonce, identifier, form, now, signature))
        DATABASE.execute(
            "UPDATE counter SET used = used + 1, spent = spent + ? WHERE offer_id = ?", (OFFER["cost"], OFFER["id"])
        )
        return True


RECORDS = Records()
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
    kept = await RECORDS.keep((identifier, customer[0], now, expires, [
        (str(nonce) if form == "v1" else str(uuid.uuid4()), form, str(signature)) for form, signature in signatures.items()
    ]))
    if not kept:
        raise HTTPException(403, {"code": "not-eligible", "findings": [{"rule": "limit", "reason": "limitReached"}]})
    return Response(status_code=201, media_type="application/json", content=orjson.dumps({
        "issuedOfferId": identifier, "offerId": OFFER["id"], "offerType": "promotional", "delivery": "signature",
        "offerIdentifier": OFFER["offerIdentifier"], "productId": OFFER["productId"], "bundleId": BUNDLE, "keyId": KEY,
        "state": "open", "issuedAt": now, "expiresAt": expires, "signatures": signatures,
    }))
