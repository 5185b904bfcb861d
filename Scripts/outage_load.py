"""Clients that ask three servers for signed offers, each again until it has an answer, and what they were answered.

A client sends each new request to its own server, and after a lost connection or a 5xx to the next one, with the same
`Idempotency-Key`. A customer is new to the servers, with a purchase that a local App Store signed.
"""

import bisect
import collections
import dataclasses
import hashlib
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
# How long a client waits for one server, and for any. Shorter than some faults, so that a key reaches a second server while the
# first may still go on with it.
PATIENCE, LAST_PATIENCE = 3, 120
PACE = 0.15


@dataclasses.dataclass(frozen=True)
class Request:
    key: str
    offer: str
    customer: str
    body: bytes


@dataclasses.dataclass(frozen=True)
class Answer:
    request: Request
    status: int
    digest: str
    signature: str  # empty if there is none
    offer_id: str
    attempts: int


class Load:
    """Some clients for each server. They wait until `go`, and rest after `rest`."""

    def __init__(self, servers: int, clients: int, url: Callable[[int], str], token: str, root: pathlib.Path):
        self.servers = servers
        self.url = url
        self.token = token
        self.signer = chain.Signer(root)
        self.numbers = itertools.count(1)
        self.lock = threading.Lock()
        self.resting = threading.Condition(self.lock)
        self.is_resting, self.is_ended, self.busy = True, False, 0
        self.answers: list[Answer] = []
        self.faults: list[str] = []
        # When each server made a new signature, by the clock of `time.monotonic`.
        self.issued: list[list[float]] = [[] for _ in range(servers)]
        self.known: collections.deque[str] = collections.deque(maxlen=500)
        self.twins: collections.deque[Request] = collections.deque()
        self.contested, self.refusals = "", 0
        self.retries = 0
        self.threads = [
            threading.Thread(target=self.client, args=(number % servers, number), daemon=True) for number in range(clients)]
        for thread in self.threads:
            thread.start()

    # What the drill asks for.

    def go(self) -> None:
        with self.lock:
            self.contested, self.is_resting = "", False
            self.resting.notify_all()

    def contest(self, offer: str) -> None:
        """Lets a part of the requests be for an offer with few places, until some of them were refused."""
        with self.lock:
            self.contested, self.refusals = offer, 0

    def rest(self) -> bool:
        """Waits until every request has its answer; false if one has none in time."""
        with self.lock:
            self.is_resting = True
            return self.resting.wait_for(lambda: self.busy == 0, LAST_PATIENCE + 2 * PATIENCE)

    def end(self) -> None:
        with self.lock:
            self.is_ended, self.is_resting = True, False
            self.resting.notify_all()

    def has_issued(self, server: int, since: float) -> bool:
        with self.lock:
            return bool(self.issued[server]) and self.issued[server][-1] > since

    def longest_gap(self, server: int, since: float, until: float) -> float:
        """The longest time in which a server made no new signature."""
        with self.lock:
            times = self.issued[server]
            times = times[bisect.bisect_right(times, since):bisect.bisect_left(times, until)]
        points = [since, *times, until]
        return max(after - before for before, after in itertools.pairwise(points))

    # One client.

    def client(self, home: int, seed: int) -> None:
        chance = random.Random(seed)
        connections: dict[str, http.client.HTTPConnection] = {}
        while True:
            with self.lock:
                self.resting.wait_for(lambda: not self.is_resting)
                if self.is_ended:
                    return
                self.busy += 1
            try:
                self.ask(home, self.next_request(chance), connections, chance)
            finally:
                with self.lock:
                    self.busy -= 1
                    self.resting.notify_all()
            # A steady load, so that what is measured is not the machine.
            time.sleep(PACE * chance.uniform(0.5, 1.5))

    def next_request(self, chance: random.Random) -> Request:
        with self.lock:
            if self.twins:
                return self.twins.popleft()
            contested = self.contested if self.refusals < 30 else ""
            known = chance.choice(self.known) if self.known else ""
        way = chance.random()
        if contested and way < 0.5:
            return self.of_new_customer(contested)
        if known and way < 0.7:
            body = {"offerId": "once", "fresh": True, "customer": {"originalTransactionId": known}}
            return Request(str(uuid.uuid4()), "once", known, json.dumps(body).encode())
        request = self.of_new_customer("once")
        if way > 0.9:
            # Another client asks for the same at the same time.
            with self.lock:
                self.twins.append(dataclasses.replace(request, key=str(uuid.uuid4())))
        return request

    def of_new_customer(self, offer: str) -> Request:
        original = FIRST_CUSTOMER + next(self.numbers) * chain.STRIDE
        now = time.time_ns() // 1_000_000
        bought = now - 60 * DAY
        purchase = chain.purchase(original, original, bought, bought + 30 * DAY, now - 1_000, "LocalTesting", "PURCHASE")
        body = {
            "offerId": offer, "customer": {"originalTransactionId": str(original)},
            "signedTransactions": [self.signer.jws(purchase)],
        }
        return Request(str(uuid.uuid4()), offer, str(original), json.dumps(body).encode())

    def ask(
        self, home: int, request: Request, connections: dict[str, http.client.HTTPConnection], chance: random.Random
    ) -> None:
        began = time.monotonic()
        failure = ""
        for attempt in itertools.count():
            server = (home + attempt) % self.servers
            try:
                status, headers, body = self.send(request, self.url(server), connections)
            except (OSError, http.client.HTTPException) as error:
                failure = f"{type(error).__name__}: {error}"
            else:
                if status < 500 and status != 429:
                    self.note(request, server, status, headers, body, attempt + 1)
                    return
                failure = f"{status} {body[:200]!r}"
            with self.lock:
                self.retries += 1
            if time.monotonic() - began > LAST_PATIENCE:
                with self.lock:
                    self.faults.append(f"a request had no answer in {LAST_PATIENCE} s; the last: {failure}")
                return
            time.sleep(chance.uniform(0.05, 0.15))

    def send(
        self, request: Request, url: str, connections: dict[str, http.client.HTTPConnection]
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """- connections: by URL; one that fails is not used again."""
        connection = connections.pop(url, None)
        if connection is None:
            address = urllib.parse.urlsplit(url)
            connection = http.client.HTTPConnection(address.hostname, address.port, timeout=PATIENCE)
        try:
            connection.request("POST", "/v1/issued-offers", request.body, {
                "Authorization": f"Bearer {self.token}", "Content-Type": "application/json", "Idempotency-Key": request.key})
            response = connection.getresponse()
            body = response.read()
        except BaseException:
            connection.close()
            raise
        connections[url] = connection
        return response.status, response.headers, body

    def note(
        self, request: Request, server: int, status: int, headers: http.client.HTTPMessage, body: bytes, attempts: int
    ) -> None:
        now = time.monotonic()
        answer = json.loads(body)
        signature = answer.get("signatures", {}).get("v2", {}).get("jws", "")
        with self.lock:
            self.answers.append(Answer(
                request, status, hashlib.md5(body).hexdigest(), signature, answer.get("issuedOfferId", ""), attempts))
            if status in (200, 201) and signature:
                if status == 201 and headers.get("Idempotent-Replayed") != "true":
                    self.issued[server].append(now)
                if request.offer == "once":
                    self.known.append(request.customer)
            elif status == 403 and request.offer != "once":
                self.refusals += 1
            else:
                self.faults.append(f"an answer for `{request.offer}` was {status} {body[:300]!r}")
