"""Clients that ask two hosts for offers with limits, and what they received.

A client asks its hosts in turn until one answers, with the same `Idempotency-Key`. A customer is new to the servers, with a
purchase that a local App Store signed.
"""

import dataclasses
import http.client
import itertools
import json
import pathlib
import random
import sys
import threading
import time
import urllib.parse
import uuid
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Benchmarks" / "Service"))

import chain

DAY = 86_400_000
FIRST_CUSTOMER = 7_000_000_000
# How long a client waits for a host.
PATIENCE = 1.5
PACE = 0.15
# Without a limit, once for each customer, and a total of which each customer may have one.
OPEN, ONCE, PLACES = "open", "once", "places"
# The reason of a refusal while limited offers are held back after a restore.
HELD = "restoredRecently"


@dataclasses.dataclass
class Claim:
    """An issued offer whose signature a client has received.

    - received: by the clock of `time.monotonic`.
    - issued: by the clock of the servers, in milliseconds.
    """
    customer: int
    offer: str
    host: str
    id: str
    signature: str
    received: float
    issued: int
    redeemed: bool = False

    def lives(self, now: int) -> bool:
        """Whether it is used, or can be: the App Store takes a signature for a day."""
        return self.redeemed or now < self.issued + DAY


@dataclasses.dataclass
class Refusal:
    """- until: when a held offer can be had, in milliseconds; `None` if the answer does not say."""
    customer: int
    offer: str
    host: str
    reasons: set[str]
    until: int | None


class Load:
    """Clients that ask until `end`; each has hosts in the order in which it prefers them, and may be on one of them."""

    def __init__(self, clock: Callable[[], int], token: str, root: pathlib.Path, seed: int):
        self.clock = clock
        self.token = token
        self.signer = chain.Signer(root)
        self.numbers = itertools.count(1)
        self.chance = random.Random(seed)
        self.lock = threading.Lock()
        self.is_ended = False
        self.claims: dict[str, Claim] = {}
        self.refusals: list[Refusal] = []
        self.faults: list[str] = []
        self.threads: list[threading.Thread] = []

    def add_client(self, urls: dict[str, str], enter: Callable[[], None] = lambda: None) -> None:
        """- enter: moves the client's thread to where it is."""
        thread = threading.Thread(target=self.run, args=(urls, enter, random.Random(self.chance.random())), daemon=True)
        self.threads.append(thread)
        thread.start()

    def end(self) -> None:
        self.is_ended = True
        for thread in self.threads:
            thread.join()
        self.threads, self.is_ended = [], False

    # What was received.

    def received(self, host: str) -> list[Claim]:
        with self.lock:
            return sorted((claim for claim in self.claims.values() if claim.host == host), key=lambda claim: claim.received)

    def refused(self, host: str) -> list[Refusal]:
        with self.lock:
            return [refusal for refusal in self.refusals if refusal.host == host]

    # One client.

    def run(self, urls: dict[str, str], enter: Callable[[], None], chance: random.Random) -> None:
        enter()
        while not self.is_ended:
            way = chance.random()
            known = None
            if way > 0.8:
                with self.lock:
                    known = chance.choice(list(self.claims.values())) if self.claims else None
            if known:
                self.ask(known.customer, known.offer, urls)
            else:
                self.ask(next(self.numbers), PLACES if way < 0.05 else OPEN if way < 0.15 else ONCE, urls)
            time.sleep(PACE * chance.uniform(0.5, 1.5))

    def original(self, customer: int) -> int:
        return FIRST_CUSTOMER + customer * chain.STRIDE

    def lapsed(self, customer: int) -> str:
        """A month that the customer bought long ago, as the App Store signs it."""
        now = self.clock()
        original, bought = self.original(customer), now - 60 * DAY
        return self.signer.jws(
            chain.purchase(original, original, bought, bought + 30 * DAY, now - 1_000, "LocalTesting", "PURCHASE"))

    def redemption(self, claim: Claim) -> str:
        """The customer's purchase with the offer, as the App Store signs it."""
        original, now = self.original(claim.customer), self.clock()
        payload = chain.purchase(original, original + 1, now, now + 30 * DAY, now, "LocalTesting", "PURCHASE")
        return self.signer.jws(payload | {
            "originalPurchaseDate": now - 60 * DAY, "price": 4_990, "offerType": 2, "offerIdentifier": f"{claim.offer}50",
            "offerDiscountType": "PAY_AS_YOU_GO"})

    def ask(self, customer: int, offer: str, urls: dict[str, str]) -> tuple[int, dict] | None:
        """Asks for an offer until a host answers, or the load ends; gives the answer."""
        body = json.dumps({
            "offerId": offer, "customer": {"originalTransactionId": str(self.original(customer))},
            "signedTransactions": [self.lapsed(customer)]}).encode()
        key = str(uuid.uuid4())
        for host in itertools.cycle(urls):
            if self.is_ended:
                return None
            try:
                status, answer = self.post(f"{urls[host]}/v1/issued-offers", body, key)
            except (OSError, http.client.HTTPException):
                # A refused connection is answered at once.
                time.sleep(0.05)
                continue
            if status < 500:
                self.note(customer, offer, host, status, answer)
                return status, answer
            time.sleep(0.05)
        return None

    def report(self, claim: Claim, url: str) -> None:
        """Reports the customer's purchase with the offer, as a backend or Apple does."""
        body = json.dumps({"signedTransactions": [self.lapsed(claim.customer), self.redemption(claim)]}).encode()
        status, answer = self.post(f"{url}/v1/transactions", body, str(uuid.uuid4()))
        if status != 200:
            self.fault(f"a purchase with `{claim.offer}` was answered {status} {answer}")

    def post(self, url: str, body: bytes, key: str) -> tuple[int, dict]:
        address = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=PATIENCE)
        try:
            connection.request("POST", address.path, body, {
                "Authorization": f"Bearer {self.token}", "Content-Type": "application/json", "Idempotency-Key": key})
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def note(self, customer: int, offer: str, host: str, status: int, answer: dict) -> None:
        now = time.monotonic()
        signature = answer.get("signatures", {}).get("v2", {}).get("jws")
        if status in (200, 201) and signature:
            claim = Claim(customer, offer, host, answer["issuedOfferId"], signature, now, answer["issuedAt"])
            with self.lock:
                self.claims.setdefault(claim.id, claim)
        elif status == 403:
            findings = answer.get("findings", [])
            points = [finding.get("turningPoint", {}) for finding in findings if finding.get("reason") == HELD]
            until = next((point[name] for point in points for name in ("from", "at") if name in point), None)
            with self.lock:
                self.refusals.append(Refusal(customer, offer, host, {finding["reason"] for finding in findings}, until))
        else:
            self.fault(f"an answer for `{offer}` was {status} {answer}")

    def fault(self, text: str) -> None:
        with self.lock:
            self.faults.append(text)
