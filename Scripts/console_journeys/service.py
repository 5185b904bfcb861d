"""The running server as programs see it: calls of its API, its command line, and what its neighbours are to say and have heard.

Journeys check a page against what these answer.
"""

import contextlib
import json
import pathlib
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from urllib.parse import quote, urlencode

ROLES = ("client", "app", "support", "marketing", "admin")
GROUP = "21500001"
MONTHLY = "com.example.pro.monthly"
YEARLY = "com.example.pro.yearly"
FULL_PRICE = {"amount": "9.99", "currency": "USD"}


class Customer:
    """One with an Apple Account and an account in the app; `steps` is what they did (docs/scenarios.md)."""

    def __init__(self, number: int, *steps: dict) -> None:
        self.apple = str(7_060_000_000 + number)
        self.account = f"{number:08d}-0000-4000-8000-{number:012d}"
        self.steps = [{"appTransaction": {"at": "-P400D"}}, *steps]

    @property
    def scenario(self) -> dict:
        identifiers = {"appTransactionId": self.apple, "appAccountToken": self.account}
        return {"bundleId": "com.example.pro", "environment": "LocalTesting", "customer": identifiers, "steps": self.steps}

    def transaction(self, number: int) -> str:
        """Of a customer's transactions, the first is 1. It is the `originalTransactionId` too."""
        return f"{self.apple}{number:03d}"


def bought(at: str) -> dict:
    return {"buy": {"product": MONTHLY, "group": GROUP, "at": at, "period": "P1M", "price": FULL_PRICE}}


class Service:
    def __init__(self, url: str, folder: pathlib.Path, programs: pathlib.Path) -> None:
        self.url = url
        self.folder = folder
        self.installation = folder / "installation"
        self.programs = programs
        self.tokens = {role: (self.installation / "tokens" / role).read_text().strip() for role in ROLES}

    def answer(self, method: str, path: str, body: dict | None = None, role: str = "support") -> tuple[int, dict]:
        request = urllib.request.Request(
            self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.tokens[role]}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def ask(self, method: str, path: str, body: dict | None = None, role: str = "support", wanted: int | None = None) -> dict:
        """The answer's body, if it has the wanted status, by default one of success."""
        status, answer = self.answer(method, path, body, role)
        if status != wanted if wanted else status >= 300:
            raise RuntimeError(f"{method} {path} is answered {status}: {json.dumps(answer)[:300]}")
        return answer

    def items(self, path: str, role: str = "support", **query: str) -> list[dict]:
        return self.ask("GET", f"{path}?{urlencode(query)}", role=role)["items"]

    def offerd(self, *arguments: str) -> str:
        """What a command of the installation prints."""
        command = [self.programs / "offerd", *arguments]
        done = subprocess.run(command, cwd=self.installation, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(f"offerd {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def signed(self, customer: Customer) -> dict:
        """What Apple signed for the customer, as the body of `POST /v1/transactions`."""
        path = self.folder / f"{customer.apple}.json"
        path.write_text(json.dumps(customer.scenario))
        return json.loads(self.offerd("dev", "sign", "--root", "root", "--scenario", str(path)))

    def load(self, customer: Customer, customer_id: str | None = None) -> None:
        body = self.signed(customer)
        if customer_id:
            body["customer"] = body.get("customer", {}) | {"customerId": customer_id}
        self.ask("POST", "/v1/transactions", body, "client")

    def order(self, offer: str, customer: dict, product: str = MONTHLY, wanted: int = 201, **more) -> dict:
        """What the app's backend sends when the app asks for an offer."""
        body = {"offerId": offer, "productId": product, "customer": customer} | more
        return self.ask("POST", "/v1/issued-offers", body, "client", wanted)

    def decision(self, offer: str, account: str, **more) -> dict:
        """What the dry-run of every offer, as a page has it, says of one."""
        body = {"customer": {"appAccountToken": account}} | more
        decisions = self.ask("POST", "/v1/decisions", body)["decisions"]
        return next(decision for decision in decisions if decision["offerId"] == offer)

    def offer(self, name: str) -> dict:
        return next(offer for offer in self.items("/v1/offers", limit="200") if offer["offerId"] == name)

    def series(self, offer: str, **query: str) -> list[dict]:
        path = f"/v1/reports/series?{urlencode({'offer': offer} | query)}"
        return self.ask("GET", path, role="marketing")["buckets"]

    def customer(self, account: str) -> dict:
        return self.ask("GET", f"/v1/customers?appAccountToken={quote(account)}")

    def tell_apple(self, order: str, customer: Customer) -> None:
        """From now on the simulated App Store knows the customer, by the order too."""
        (self.folder / "apple" / f"{order}.json").write_text(json.dumps(self.signed(customer)))

    @contextlib.contextmanager
    def webhook_down(self) -> Iterator[None]:
        """The receiver of the webhook takes no events for a while."""
        mark = self.folder / "down"
        mark.touch()
        try:
            yield
        finally:
            mark.unlink()

    def received(self) -> list[dict]:
        """The events that reached the webhook: `id` is the header's, `event` the body."""
        path = self.folder / "received.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
